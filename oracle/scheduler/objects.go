package main

import (
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// cluster holds the objects that the scheduler looks at, as the API server would have stored them.
type cluster struct {
	nodes []*v1.Node
	pods  []*v1.Pod
	// other objects by the index they belong to, which is the name of their type.
	others map[string][]any
}

// kindOf names the informer that serves an object, or nothing for what the scheduler does not read.
func kindOf(object any) string {
	switch object.(type) {
	case *v1.Namespace, *v1.PersistentVolume, *v1.PersistentVolumeClaim, *v1.Service, *v1.ReplicationController,
		*appsv1.ReplicaSet, *appsv1.StatefulSet,
		*storagev1.StorageClass, *storagev1.CSINode, *storagev1.CSIDriver, *storagev1.CSIStorageCapacity,
		*storagev1.VolumeAttachment:
		return fmt.Sprintf("%T", object)
	}
	return ""
}

func readCluster(text []byte) (*cluster, error) {
	var list struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	if list.Kind != "List" {
		return nil, fmt.Errorf("expected a List, got kind %q", list.Kind)
	}
	result := &cluster{others: map[string][]any{}}
	for at, item := range list.Items {
		if err := result.add(item); err != nil {
			return nil, fmt.Errorf("items[%d]: %w", at, err)
		}
	}
	return result, nil
}

func (c *cluster) add(item []byte) error {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	legacyscheme.Scheme.Default(object)
	head, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	switch object := object.(type) {
	case *v1.Node:
		c.nodes = append(c.nodes, object)
	case *v1.Pod:
		inNamespace(head)
		// The cache knows pods by their uid.
		if object.UID == "" {
			object.UID = types.UID("pod/" + object.Namespace + "/" + object.Name)
		}
		mergeLabelKeys(object)
		c.pods = append(c.pods, object)
	default:
		if kind := kindOf(object); kind != "" {
			if isNamespaced(object) {
				inNamespace(head)
			}
			c.others[kind] = append(c.others[kind], object)
		}
	}
	return nil
}

func inNamespace(head metav1.Object) {
	if head.GetNamespace() == "" {
		head.SetNamespace(metav1.NamespaceDefault)
	}
}

func isNamespaced(object any) bool {
	switch object.(type) {
	case *v1.PersistentVolumeClaim, *v1.Service, *v1.ReplicationController, *appsv1.ReplicaSet, *appsv1.StatefulSet,
		*storagev1.CSIStorageCapacity:
		return true
	}
	return false
}

// mergeLabelKeys does what the API server does with matchLabelKeys and mismatchLabelKeys when a pod is created: it writes
// them into the selectors. The scheduler relies on it for (anti-)affinity.
func mergeLabelKeys(pod *v1.Pod) {
	if affinity := pod.Spec.Affinity; affinity != nil {
		if affinity.PodAffinity != nil {
			mergeIntoTerms(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
				affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, pod.Labels)
		}
		if affinity.PodAntiAffinity != nil {
			mergeIntoTerms(affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
				affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, pod.Labels)
		}
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		constraint := &pod.Spec.TopologySpreadConstraints[i]
		mergeKeys(constraint.LabelSelector, constraint.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

func mergeIntoTerms(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm, labels map[string]string) {
	merge := func(term *v1.PodAffinityTerm) {
		mergeKeys(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, labels)
		mergeKeys(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, labels)
	}
	for i := range required {
		merge(&required[i])
	}
	for i := range preferred {
		merge(&preferred[i].PodAffinityTerm)
	}
}

// mergeKeys adds one expression per key that the pod has. A nil selector matches nothing and stays nil.
func mergeKeys(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator, labels map[string]string) {
	if selector == nil {
		return
	}
	for _, key := range keys {
		if value, found := labels[key]; found {
			expression := metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}}
			selector.MatchExpressions = append(selector.MatchExpressions, expression)
		}
	}
}
