package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/awslabs/operatorpkg/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/resources"
)

// reservationLabel tells reservations apart, on nodes and in requirements, as on AWS.
const reservationLabel = "karpenter.k8s.aws/capacity-reservation-id"

// wellKnown are the labels that Karpenter knows without a provider.
var wellKnown = v1.WellKnownLabels.Clone()

func init() {
	cloudprovider.ReservationIDLabel = reservationLabel
	cloudprovider.ReservedCapacityLabels.Insert(reservationLabel)
}

// provider sells the types of a question, the same to every pool. All else that a provider can do panics.
type provider struct {
	cloudprovider.CloudProvider
	types   []*cloudprovider.InstanceType
	classes []status.Object
}

func (p *provider) Name() string { return "oracle" }

// GetInstanceTypes gives a list of its own to everyone: callers sort it.
func (p *provider) GetInstanceTypes(context.Context, *v1.NodePool) ([]*cloudprovider.InstanceType, error) {
	return slices.Clone(p.types), nil
}

func (p *provider) GetSupportedNodeClasses() []status.Object { return p.classes }

// nodeClass is an object of any kind: Karpenter only wants to know which.
type nodeClass struct {
	unstructured.Unstructured
}

func (*nodeClass) GetConditions() []status.Condition { return nil }
func (*nodeClass) SetConditions([]status.Condition)  {}
func (c *nodeClass) StatusConditions(...status.ForOption) status.ConditionSet {
	panic("node classes have no status")
}

func newProvider(asked *question, objects *objects) (*provider, error) {
	result := &provider{}
	kinds := map[schema.GroupKind]bool{}
	if only := asked.Options.NodeClass; only != nil {
		kinds[schema.GroupKind{Group: only.Group, Kind: only.Kind}] = true
	} else {
		for _, pool := range objects.pools {
			kinds[pool.Spec.Template.Spec.NodeClassRef.GroupKind()] = true
		}
		for _, claim := range objects.claims {
			kinds[claim.Spec.NodeClassRef.GroupKind()] = true
		}
	}
	for kind := range kinds {
		class := &nodeClass{}
		class.SetGroupVersionKind(kind.WithVersion("v1"))
		result.classes = append(result.classes, class)
	}
	// A provider registers every label that its types have.
	keys := sets.New(reservationLabel)
	for _, kind := range asked.InstanceTypes {
		keys = keys.Union(sets.KeySet(kind.labels()))
	}
	v1.WellKnownLabels = wellKnown.Union(keys)
	for at, kind := range asked.InstanceTypes {
		made, err := kind.make(keys)
		if err != nil {
			return nil, fmt.Errorf("instanceTypes[%d]: %w", at, err)
		}
		result.types = append(result.types, made)
	}
	return result, nil
}

func (t *instanceType) labels() map[string]string {
	all := maps.Clone(t.Labels)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, t.Requirements)
	return all
}

// make builds the type with a requirement for every key that any type has.
func (t *instanceType) make(keys sets.Set[string]) (*cloudprovider.InstanceType, error) {
	if t.Name == "" {
		return nil, fmt.Errorf("a type needs a name")
	}
	arch, systems := t.Architecture, t.OperatingSystems
	if arch == "" {
		arch = v1.ArchitectureAmd64
	}
	if len(systems) == 0 {
		systems = []string{string(corev1.Linux)}
	}
	var zones, kinds []string
	result := &cloudprovider.InstanceType{Name: t.Name, Capacity: t.Capacity}
	for _, sold := range t.Offerings {
		made := sold.make()
		result.Offerings = append(result.Offerings, made)
		if made.Available {
			zones, kinds = append(zones, sold.Zone), append(kinds, sold.CapacityType)
		}
	}
	in := func(key string, values ...string) *scheduling.Requirement {
		return scheduling.NewRequirement(key, corev1.NodeSelectorOpIn, values...)
	}
	result.Requirements = scheduling.NewRequirements(
		in(corev1.LabelInstanceTypeStable, t.Name),
		in(corev1.LabelArchStable, arch),
		in(corev1.LabelOSStable, systems...),
		in(corev1.LabelTopologyZone, zones...),
		in(v1.CapacityTypeLabelKey, kinds...),
	)
	labels := t.labels()
	for key := range keys {
		if key == reservationLabel || result.Requirements.Has(key) {
			continue
		}
		if value, has := labels[key]; has {
			result.Requirements.Add(in(key, value))
		} else {
			result.Requirements.Add(scheduling.NewRequirement(key, corev1.NodeSelectorOpDoesNotExist))
		}
	}
	result.Overhead = &cloudprovider.InstanceTypeOverhead{KubeReserved: t.overhead()}
	return result, nil
}

func (o *offering) make() *cloudprovider.Offering {
	labels := map[string]string{corev1.LabelTopologyZone: o.Zone, v1.CapacityTypeLabelKey: o.CapacityType}
	if o.ReservationID != "" {
		labels[reservationLabel] = o.ReservationID
	}
	result := &cloudprovider.Offering{
		Requirements:        scheduling.NewLabelRequirements(labels),
		Price:               o.Price,
		Available:           o.Available == nil || *o.Available,
		ReservationCapacity: o.ReservationCapacity,
	}
	if o.ReservationID == "" {
		result.Requirements.Add(scheduling.NewRequirement(reservationLabel, corev1.NodeSelectorOpDoesNotExist))
	}
	return result
}

// overhead is what pods do not get. Karpenter takes huge pages from the memory on top of it.
func (t *instanceType) overhead() corev1.ResourceList {
	if t.Allocatable == nil {
		return t.Overhead
	}
	result := corev1.ResourceList{}
	for name, left := range t.Allocatable {
		result[name] = resources.Subtract(t.Capacity, corev1.ResourceList{name: left})[name]
	}
	if memory, known := result[corev1.ResourceMemory]; known {
		for name, amount := range t.Capacity {
			if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
				memory.Sub(amount)
			}
		}
		result[corev1.ResourceMemory] = memory
	}
	return result
}
