package main

import (
	"encoding/json"
	"regexp"
	"slices"
	"sort"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	podutils "sigs.k8s.io/karpenter/pkg/utils/pod"
)

// replacement is a node that would be bought.
type replacement struct {
	NodePool string `json:"nodePool"`
	// InstanceTypes are in the order of their prices, those of equal price in the order of names.
	InstanceTypes []string `json:"instanceTypes"`
	// Cheapest is what the first type would cost at best.
	Cheapest *price `json:"cheapest,omitempty"`
	// Zones and CapacityTypes are those of the catalogue that the node may have.
	Zones         []string            `json:"zones"`
	CapacityTypes []string            `json:"capacityTypes"`
	Requests      corev1.ResourceList `json:"requests"`
}

type price struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
}

// placement says where a pod would go.
type placement struct {
	Pod string `json:"pod"`
	// Node is empty if the pod goes to a new one.
	Node string `json:"node,omitempty"`
	// New is the number of the new node, from 1.
	New int `json:"new,omitempty"`
}

type podError struct {
	Pod   string `json:"pod"`
	Error string `json:"error"`
	// Pending pods do not keep a node from being removed.
	Pending bool `json:"pending,omitempty"`
}

// simulation is where all pods would go without a node, before anyone looks at prices.
type simulation struct {
	Node       string         `json:"node"`
	Placements []placement    `json:"placements"`
	PodErrors  []podError     `json:"podErrors,omitempty"`
	New        []*replacement `json:"new,omitempty"`
	Error      string         `json:"error,omitempty"`
}

func (p *pass) simulation(one *disruption.Candidate) simulation {
	found, err := p.simulate(one)
	if err != nil {
		return simulation{Node: one.Name(), Placements: []placement{}, Error: err.Error()}
	}
	result := simulation{Node: one.Name(), Placements: placements(found), PodErrors: podErrors(found, true)}
	for _, claim := range found.NewNodeClaims {
		claim.InstanceTypeOptions = claim.InstanceTypeOptions.OrderByPrice(claim.Requirements)
		result.New = append(result.New, p.replacement(claim))
	}
	return result
}

func placements(found scheduling.Results) []placement {
	result := []placement{}
	for _, node := range found.ExistingNodes {
		for _, pod := range node.Pods {
			result = append(result, placement{Pod: podName(pod), Node: node.Name()})
		}
	}
	for number, claim := range found.NewNodeClaims {
		for _, pod := range claim.Pods {
			result = append(result, placement{Pod: podName(pod), New: number + 1})
		}
	}
	sort.Slice(result, func(i, j int) bool { return result[i].Pod < result[j].Pod })
	return result
}

// placeholder is the host name of a new node, which is another in every simulation.
var placeholder = regexp.MustCompile(`hostname-placeholder-\d+`)

func podErrors(found scheduling.Results, all bool) []podError {
	var result []podError
	for pod, err := range found.PodErrors {
		pending := podutils.IsProvisionable(pod)
		if all || !pending {
			text := placeholder.ReplaceAllString(err.Error(), "hostname-placeholder")
			result = append(result, podError{Pod: podName(pod), Error: text, Pending: pending})
		}
	}
	sort.Slice(result, func(i, j int) bool { return result[i].Pod < result[j].Pod })
	return result
}

func (p *pass) replacement(claim *scheduling.NodeClaim) *replacement {
	result := &replacement{
		NodePool:      claim.NodePoolName,
		InstanceTypes: []string{},
		Zones:         []string{},
		CapacityTypes: []string{},
		Requests:      claim.Spec.Resources.Requests,
	}
	prices := map[string]float64{}
	for at, kind := range claim.InstanceTypeOptions {
		sold := kind.Offerings.Available().Compatible(claim.Requirements)
		if len(sold) > 0 {
			cheapest := sold.Cheapest()
			prices[kind.Name] = cheapest.Price
			if at == 0 {
				result.Cheapest = &price{cheapest.Zone(), cheapest.CapacityType(), cheapest.Price}
			}
		}
		result.InstanceTypes = append(result.InstanceTypes, kind.Name)
	}
	orderTies(result.InstanceTypes, prices)
	zones, kinds := sets.New[string](), sets.New[string]()
	for _, sold := range offerings(p.provider.types) {
		zones.Insert(sold.Zone())
		kinds.Insert(sold.CapacityType())
	}
	for _, zone := range sets.List(zones) {
		if claim.Requirements.Get(corev1.LabelTopologyZone).Has(zone) {
			result.Zones = append(result.Zones, zone)
		}
	}
	for _, kind := range sets.List(kinds) {
		if claim.Requirements.Get(v1.CapacityTypeLabelKey).Has(kind) {
			result.CapacityTypes = append(result.CapacityTypes, kind)
		}
	}
	return result
}

// orderTies sorts neighbours of equal price by name: Karpenter's sort leaves them in any order.
func orderTies(types []string, prices map[string]float64) {
	for start := 0; start < len(types); {
		end := start + 1
		for end < len(types) && prices[types[end]] == prices[types[start]] {
			end++
		}
		slices.Sort(types[start:end])
		start = end
	}
}

func offerings(types []*cloudprovider.InstanceType) cloudprovider.Offerings {
	var result cloudprovider.Offerings
	for _, kind := range types {
		result = append(result, kind.Offerings...)
	}
	return result
}

// repeatedly asks as often as was wished, and adds the answers that differ from the first.
func (p *pass) repeatedly(ask func() (decision, error)) (decision, error) {
	first, err := ask()
	if err != nil {
		return first, err
	}
	seen, err := json.Marshal(first)
	if err != nil {
		return first, err
	}
	known := sets.New(string(seen))
	for range p.asked.Options.Repeat - 1 {
		again, err := ask()
		if err != nil {
			return first, err
		}
		text, err := json.Marshal(again)
		if err != nil {
			return first, err
		}
		if !known.Has(string(text)) {
			known.Insert(string(text))
			first.Others = append(first.Others, again)
		}
	}
	return first, nil
}
