package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/operator/options"
)

// question is one line of input.
type question struct {
	// Objects are ordinary Kubernetes objects; kinds that Karpenter does not read are ignored.
	Objects []json.RawMessage `json:"objects"`
	// Now is what every clock says.
	Now           time.Time      `json:"now"`
	InstanceTypes []instanceType `json:"instanceTypes"`
	Options       choices        `json:"options"`
	// Ask lists the answers that are wanted, all if there are none.
	Ask []string `json:"ask"`
}

// choices are the settings of the operator that matter here.
type choices struct {
	SpotToSpot       bool                     `json:"spotToSpot"`
	PreferencePolicy options.PreferencePolicy `json:"preferencePolicy"`
	MinValuesPolicy  options.MinValuesPolicy  `json:"minValuesPolicy"`
	// NodeClass is the only kind of node classes that the provider supports; without it those of all pools and claims are.
	NodeClass *nodeClassKind `json:"nodeClass"`
	// Repeat evaluates multi-node and each single node so often, to find what depends on the order of a map.
	Repeat int `json:"repeat"`
}

type nodeClassKind struct {
	Group string `json:"group"`
	Kind  string `json:"kind"`
}

// instanceType is what can be bought.
type instanceType struct {
	Name             string              `json:"name"`
	Architecture     string              `json:"architecture"`
	OperatingSystems []string            `json:"operatingSystems"`
	Capacity         corev1.ResourceList `json:"capacity"`
	// Allocatable is what pods get of the capacity, all of what it does not mention.
	Allocatable corev1.ResourceList `json:"allocatable"`
	// Overhead is the other way to say the same.
	Overhead corev1.ResourceList `json:"overhead"`
	// Labels of its nodes, as is Requirements.
	Labels       map[string]string `json:"labels"`
	Requirements map[string]string `json:"requirements"`
	Offerings    []offering        `json:"offerings"`
}

// offering is where and how a type can be bought.
type offering struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
	// Available is true unless it says otherwise.
	Available           *bool  `json:"available"`
	ReservationID       string `json:"reservationId"`
	ReservationCapacity int    `json:"reservationCapacity"`
}

// What can be asked for.
const (
	askCandidates  = "candidates"
	askEmptiness   = "emptiness"
	askMulti       = "multi"
	askSingle      = "single"
	askSimulations = "simulations"
)

var asks = []string{askCandidates, askEmptiness, askMulti, askSingle, askSimulations}

func readQuestion(text []byte) (*question, error) {
	asked := &question{}
	if err := json.Unmarshal(text, asked); err != nil {
		return nil, err
	}
	if asked.Now.IsZero() {
		return nil, fmt.Errorf("now is missing")
	}
	for _, name := range asked.Ask {
		if !slices.Contains(asks, name) {
			return nil, fmt.Errorf("ask: nothing is called %q", name)
		}
	}
	if asked.Options.PreferencePolicy == "" {
		asked.Options.PreferencePolicy = options.PreferencePolicyRespect
	}
	if asked.Options.MinValuesPolicy == "" {
		asked.Options.MinValuesPolicy = options.MinValuesPolicyStrict
	}
	asked.Options.Repeat = max(asked.Options.Repeat, 1)
	return asked, nil
}

func (q *question) wants(name string) bool {
	// Simulations repeat what the others did and are only for whoever looks closer.
	if len(q.Ask) == 0 {
		return name != askSimulations
	}
	return slices.Contains(q.Ask, name)
}
