package main

import (
	"encoding/json"
	"fmt"
	"sort"

	"github.com/awslabs/operatorpkg/status"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// objects are those of a cluster that Karpenter reads, each kind in the order of names.
type objects struct {
	nodes    []*corev1.Node
	pods     []*corev1.Pod
	pools    []*v1.NodePool
	claims   []*v1.NodeClaim
	budgets  []*policyv1.PodDisruptionBudget
	daemons  []*appsv1.DaemonSet
	spaces   []*corev1.Namespace
	volumes  []*corev1.PersistentVolume
	requests []*corev1.PersistentVolumeClaim
	classes  []*storagev1.StorageClass
	drivers  []*storagev1.CSINode
}

func readObjects(items []json.RawMessage, now metav1.Time) (*objects, error) {
	result := &objects{}
	for at, item := range items {
		if err := result.add(item, now); err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", at, err)
		}
	}
	inOrder(result.nodes)
	inOrder(result.pods)
	inOrder(result.pools)
	inOrder(result.claims)
	inOrder(result.budgets)
	inOrder(result.daemons)
	inOrder(result.spaces)
	return result, nil
}

func inOrder[T metav1.Object](list []T) {
	sort.SliceStable(list, func(i, j int) bool {
		if a, b := list[i].GetNamespace(), list[j].GetNamespace(); a != b {
			return a < b
		}
		return list[i].GetName() < list[j].GetName()
	})
}

func (o *objects) add(item []byte, now metav1.Time) error {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(item, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return nil
	}
	if err != nil {
		return err
	}
	switch object := object.(type) {
	case *corev1.Node:
		identify(object, "node")
		o.nodes = append(o.nodes, object)
	case *corev1.Pod:
		inNamespace(object)
		identify(object, "pod")
		defaultPod(object)
		o.pods = append(o.pods, object)
	case *v1.NodePool:
		identify(object, "pool")
		if object.Spec.Template.Spec.NodeClassRef == nil {
			return fmt.Errorf("node pool %s has no nodeClassRef", object.Name)
		}
		defaultPool(object, item, now)
		o.pools = append(o.pools, object)
	case *v1.NodeClaim:
		identify(object, "claim")
		if object.Spec.NodeClassRef == nil {
			return fmt.Errorf("node claim %s has no nodeClassRef", object.Name)
		}
		o.claims = append(o.claims, object)
	case *policyv1.PodDisruptionBudget:
		inNamespace(object)
		o.budgets = append(o.budgets, object)
	case *appsv1.DaemonSet:
		inNamespace(object)
		defaultSpec(&object.Spec.Template.Spec)
		o.daemons = append(o.daemons, object)
	case *corev1.Namespace:
		o.spaces = append(o.spaces, object)
	case *corev1.PersistentVolume:
		o.volumes = append(o.volumes, object)
	case *corev1.PersistentVolumeClaim:
		inNamespace(object)
		o.requests = append(o.requests, object)
	case *storagev1.StorageClass:
		if object.VolumeBindingMode == nil {
			object.VolumeBindingMode = ptr.To(storagev1.VolumeBindingImmediate)
		}
		o.classes = append(o.classes, object)
	case *storagev1.CSINode:
		o.drivers = append(o.drivers, object)
	}
	return nil
}

func inNamespace(head metav1.Object) {
	if head.GetNamespace() == "" {
		head.SetNamespace(metav1.NamespaceDefault)
	}
}

// identify gives objects that were written by hand a uid: pods are told apart by it.
func identify(head metav1.Object, kind string) {
	if head.GetUID() == "" {
		head.SetUID(types.UID(kind + "/" + head.GetNamespace() + "/" + head.GetName()))
	}
}

// defaultPool fills in what the API server would, and says that the pool is ready unless it says something itself.
func defaultPool(pool *v1.NodePool, item []byte, now metav1.Time) {
	var given struct {
		Spec struct {
			Disruption map[string]json.RawMessage `json:"disruption"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(item, &given)
	disruption := &pool.Spec.Disruption
	if _, known := given.Spec.Disruption["consolidateAfter"]; !known {
		disruption.ConsolidateAfter = v1.MustParseNillableDuration("0s")
	}
	if disruption.ConsolidationPolicy == "" {
		disruption.ConsolidationPolicy = v1.ConsolidationPolicyWhenEmptyOrUnderutilized
	}
	// An empty list is not the same: it sets no limit at all.
	if disruption.Budgets == nil {
		disruption.Budgets = []v1.Budget{{Nodes: "10%"}}
	}
	ready := metav1.ConditionTrue
	for _, kind := range []string{v1.ConditionTypeValidationSucceeded, v1.ConditionTypeNodeClassReady, status.ConditionReady} {
		found := false
		for _, condition := range pool.Status.Conditions {
			if condition.Type == kind {
				found = true
				if condition.Status != metav1.ConditionTrue {
					ready = metav1.ConditionFalse
				}
			}
		}
		if !found {
			value := metav1.ConditionTrue
			if kind == status.ConditionReady {
				value = ready
			}
			condition := status.Condition{Type: kind, Status: value, Reason: kind, LastTransitionTime: now}
			pool.Status.Conditions = append(pool.Status.Conditions, condition)
		}
	}
}

// defaultPod fills in what the API server would, as far as Karpenter looks at it.
func defaultPod(pod *corev1.Pod) {
	defaultSpec(&pod.Spec)
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
}

func defaultSpec(spec *corev1.PodSpec) {
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			container := &containers[i]
			for name, limit := range container.Resources.Limits {
				if _, asked := container.Resources.Requests[name]; !asked {
					if container.Resources.Requests == nil {
						container.Resources.Requests = corev1.ResourceList{}
					}
					container.Resources.Requests[name] = limit
				}
			}
			for j := range container.Ports {
				port := &container.Ports[j]
				if port.Protocol == "" {
					port.Protocol = corev1.ProtocolTCP
				}
				if spec.HostNetwork && port.HostPort == 0 {
					port.HostPort = port.ContainerPort
				}
			}
		}
	}
}

// mergeIntoTerms writes matchLabelKeys and mismatchLabelKeys into the selectors, as happens when a pod is created.
func mergeIntoTerms(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm, labels map[string]string) {
	merge := func(term *corev1.PodAffinityTerm) {
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
