package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

// memory reads objects as the cache of an operator does: copies, through the indexes that Karpenter sets up. Whatever else a
// client can do panics, as nothing here is ever written.
type memory struct {
	client.Client
	objects *objects
	// podsOf are the pods by the name of their node, which is empty for those that wait.
	podsOf map[string][]*corev1.Pod
	named  map[string]client.Object
}

func newMemory(objects *objects) *memory {
	result := &memory{objects: objects, podsOf: map[string][]*corev1.Pod{}, named: map[string]client.Object{}}
	for _, pod := range objects.pods {
		result.podsOf[pod.Spec.NodeName] = append(result.podsOf[pod.Spec.NodeName], pod)
	}
	index(result.named, objects.nodes)
	index(result.named, objects.pods)
	index(result.named, objects.pools)
	index(result.named, objects.claims)
	index(result.named, objects.volumes)
	index(result.named, objects.requests)
	index(result.named, objects.classes)
	index(result.named, objects.drivers)
	return result
}

func index[T client.Object](named map[string]client.Object, list []T) {
	for _, object := range list {
		named[nameOf(object, client.ObjectKeyFromObject(object))] = object
	}
}

// nameOf tells objects apart. Cluster-wide ones are also asked for with a namespace.
func nameOf(object client.Object, key client.ObjectKey) string {
	switch object.(type) {
	case *corev1.Pod, *corev1.PersistentVolumeClaim:
		return fmt.Sprintf("%T %s", object, key)
	}
	return fmt.Sprintf("%T %s", object, key.Name)
}

func (m *memory) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	found, known := m.named[nameOf(into, key)]
	if !known {
		return apierrors.NewNotFound(schema.GroupResource{Resource: fmt.Sprintf("%T", into)}, key.Name)
	}
	switch into := into.(type) {
	case *corev1.Node:
		found.(*corev1.Node).DeepCopyInto(into)
	case *corev1.Pod:
		found.(*corev1.Pod).DeepCopyInto(into)
	case *v1.NodePool:
		found.(*v1.NodePool).DeepCopyInto(into)
	case *v1.NodeClaim:
		found.(*v1.NodeClaim).DeepCopyInto(into)
	case *corev1.PersistentVolume:
		found.(*corev1.PersistentVolume).DeepCopyInto(into)
	case *corev1.PersistentVolumeClaim:
		found.(*corev1.PersistentVolumeClaim).DeepCopyInto(into)
	case *storagev1.StorageClass:
		found.(*storagev1.StorageClass).DeepCopyInto(into)
	case *storagev1.CSINode:
		found.(*storagev1.CSINode).DeepCopyInto(into)
	default:
		return fmt.Errorf("there is no %T to get", into)
	}
	return nil
}

func (m *memory) List(_ context.Context, into client.ObjectList, list ...client.ListOption) error {
	wanted := (&client.ListOptions{}).ApplyOptions(list)
	switch into := into.(type) {
	case *corev1.PodList:
		from := m.objects.pods
		if node, indexed, err := only(wanted.FieldSelector, "spec.nodeName"); err != nil {
			return err
		} else if indexed {
			from = m.podsOf[node]
		}
		into.Items = choose(into.Items, from, wanted)
		return nil
	case *corev1.NodeList:
		into.Items = choose(into.Items, m.objects.nodes, wanted)
	case *v1.NodePoolList:
		into.Items = choose(into.Items, m.objects.pools, wanted)
	case *v1.NodeClaimList:
		into.Items = choose(into.Items, m.objects.claims, wanted)
	case *policyv1.PodDisruptionBudgetList:
		into.Items = choose(into.Items, m.objects.budgets, wanted)
	case *appsv1.DaemonSetList:
		into.Items = choose(into.Items, m.objects.daemons, wanted)
	case *corev1.NamespaceList:
		into.Items = choose(into.Items, m.objects.spaces, wanted)
	default:
		return fmt.Errorf("there is no %T", into)
	}
	if wanted.FieldSelector != nil {
		return fmt.Errorf("%T has no index for %s", into, wanted.FieldSelector)
	}
	return nil
}

// only reads a selector of one field, which is all that an index answers.
func only(selector fields.Selector, field string) (string, bool, error) {
	if selector == nil || selector.Empty() {
		return "", false, nil
	}
	for _, requirement := range selector.Requirements() {
		if requirement.Field != field {
			return "", false, fmt.Errorf("pods have no index for %s", selector)
		}
	}
	return selector.Requirements()[0].Value, true, nil
}

// copied is a pointer to a kind of objects that can be copied.
type copied[T any] interface {
	*T
	metav1.Object
	DeepCopyInto(*T)
}

func choose[T any, P copied[T]](into []T, from []P, wanted *client.ListOptions) []T {
	into = into[:0]
	for _, object := range from {
		if wanted.Namespace != "" && wanted.Namespace != object.GetNamespace() {
			continue
		}
		if wanted.LabelSelector != nil && !wanted.LabelSelector.Matches(labels.Set(object.GetLabels())) {
			continue
		}
		var result T
		object.DeepCopyInto(&result)
		into = append(into, result)
	}
	return into
}
