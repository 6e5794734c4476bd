package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

const now = `"now":"2026-11-15T12:00:00Z"`

// catalogue has a cheap and small type, and one that is twice as much of everything.
const catalogue = `"instanceTypes":[
	{"name":"small","capacity":{"cpu":"2","memory":"8Gi","pods":"20"},"allocatable":{"cpu":"1900m"},"labels":{"size":"s"},
	 "offerings":[{"zone":"a","capacityType":"on-demand","price":1},{"zone":"b","capacityType":"on-demand","price":1.1}]},
	{"name":"large","capacity":{"cpu":"4","memory":"16Gi","pods":"20"},"overhead":{"cpu":"100m"},
	 "offerings":[{"zone":"a","capacityType":"on-demand","price":2},
	              {"zone":"b","capacityType":"spot","price":0.5,"available":false}]}]`

// onDemand keeps a pool from spot. Without it Karpenter insists on spot once the price is right, even if nobody sells it.
const onDemand = `{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]}`

func pool(disruption string) string { return poolOf(disruption, onDemand) }

func poolOf(disruption, requirements string) string {
	return `{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"pool"},"spec":{"disruption":` + disruption + `,
		"template":{"spec":{"requirements":[` + requirements + `],"nodeClassRef":{"group":"example.com","kind":"Class","name":"c"}}}}}`
}

// machine is a node with its claim.
func machine(name, kind string, cpu int) string {
	labels := fmt.Sprintf(`{"karpenter.sh/nodepool":"pool","karpenter.sh/registered":"true","karpenter.sh/initialized":"true",
		"node.kubernetes.io/instance-type":%q,"karpenter.sh/capacity-type":"on-demand","topology.kubernetes.io/zone":"a",
		"kubernetes.io/arch":"amd64","kubernetes.io/os":"linux","kubernetes.io/hostname":%q}`, kind, name)
	room := fmt.Sprintf(`{"cpu":"%d","memory":"8Gi","pods":"20"}`, cpu)
	var conditions []string
	for _, condition := range []string{"Launched", "Registered", "Initialized", "Ready", "Consolidatable"} {
		conditions = append(conditions, fmt.Sprintf(`{"type":%q,"status":"True","lastTransitionTime":"2026-11-01T00:00:00Z",
			"reason":"x","message":""}`, condition))
	}
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Node","metadata":{"name":%[1]q,"labels":%[2]s},"spec":{"providerID":"p/%[1]s"},
		"status":{"capacity":%[3]s,"allocatable":%[3]s,"conditions":[{"type":"Ready","status":"True"}]}},
		{"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"claim-%[1]s","labels":%[2]s,
		 "creationTimestamp":"2026-11-01T00:00:00Z"},
		 "spec":{"requirements":[],"nodeClassRef":{"group":"example.com","kind":"Class","name":"c"}},
		 "status":{"nodeName":%[1]q,"providerID":"p/%[1]s","capacity":%[3]s,"allocatable":%[3]s,"conditions":[%[4]s]}}`,
		name, labels, room, strings.Join(conditions, ","))
}

func pod(name, node, cpu string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":%q,"labels":{"app":"web"},"ownerReferences":[
		{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web","uid":"1","controller":true}]},
		"spec":{"nodeName":%q,"containers":[{"name":"c","resources":{"limits":{"cpu":%q}}}]},"status":{"phase":"Running"}}`,
		name, node, cpu)
}

const blocked = `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"web"},
	"spec":{"selector":{"matchLabels":{"app":"web"}}},"status":{"disruptionsAllowed":0}}`

func ask(t *testing.T, objects ...string) *answer {
	t.Helper()
	text := `{"objects":[` + strings.Join(objects, ",") + `],` + now + `,` + catalogue + `,"ask":[]}`
	if !json.Valid([]byte(text)) {
		t.Fatalf("not JSON: %s", text)
	}
	result, err := answerText([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestDecisions(t *testing.T) {
	const anything = `{"consolidateAfter":"0s","budgets":[{"nodes":"100%"}]}`
	cases := []struct {
		name    string
		objects []string
		empty   []string
		multi   string
		removed []string
		// single is the node, the decision and the message.
		single []string
	}{
		{"an empty node is deleted", []string{pool(anything), machine("n1", "small", 2)}, []string{"n1"}, "none", nil, nil},
		{
			"one of two half empty nodes is deleted",
			[]string{pool(anything), machine("n1", "small", 2), machine("n2", "small", 2), pod("a", "n1", "900m"), pod("b", "n2", "900m")},
			nil, "none", nil, []string{"n1 delete ", "n2 delete "},
		},
		{
			"two expensive nodes become a cheap one",
			[]string{pool(anything), machine("n1", "large", 1), machine("n2", "large", 1), pod("a", "n1", "900m"), pod("b", "n2", "900m")},
			nil, "replace", []string{"n1", "n2"}, []string{"n1 replace ", "n2 replace "},
		},
		{
			"nothing is cheaper",
			[]string{pool(anything), machine("n1", "small", 2), pod("a", "n1", "900m")},
			nil, "none", nil, []string{"n1 none Can't replace with a cheaper node"},
		},
		{
			"a pod that fits nowhere keeps its node",
			[]string{pool(anything), machine("n1", "large", 9), pod("a", "n1", "5")},
			nil, "none", nil, []string{"n1 none Not all pods would schedule"},
		},
		{
			"a budget of 0 stops methods, not what single says of a node",
			[]string{pool(`{"budgets":[{"nodes":"0"}]}`), machine("n1", "large", 4), machine("n2", "large", 4), machine("n3", "small", 2),
				pod("a", "n1", "900m"), pod("b", "n2", "900m")},
			[]string{}, "none", nil, []string{"n1 delete ", "n2 delete "},
		},
		{
			"a policy",
			[]string{pool(`{"consolidationPolicy":"WhenEmpty"}`), machine("n1", "large", 4), pod("a", "n1", "900m")},
			nil, "none", nil, nil,
		},
		{"a pod disruption budget", []string{pool(anything), machine("n1", "large", 4), pod("a", "n1", "900m"), blocked}, nil, "none", nil, nil},
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			result := ask(t, one.objects...)
			if one.empty == nil {
				one.empty = []string{}
			}
			if !reflect.DeepEqual(result.Emptiness.Nodes, one.empty) {
				t.Errorf("empty: %v", result.Emptiness.Nodes)
			}
			if result.Multi.Decision != one.multi || !reflect.DeepEqual(result.Multi.Nodes, one.removed) {
				t.Errorf("multi: %+v", result.Multi)
			}
			var single []string
			for _, found := range result.Single {
				single = append(single, fmt.Sprintf("%s %s %s", found.Node, found.Decision, found.Message))
			}
			if !reflect.DeepEqual(single, one.single) {
				t.Errorf("single: %q", single)
			}
		})
	}
}

func TestRejections(t *testing.T) {
	result := ask(t, pool(`{}`), machine("n1", "large", 4), pod("a", "n1", "900m"), blocked,
		machine("n2", "unknown", 4), pod("b", "n2", "1"),
		`{"apiVersion":"v1","kind":"Node","metadata":{"name":"n3"}}`)
	want := []rejection{
		{Node: "n1", Error: "pdb prevents pod evictions (PodDisruptionBudget=[default/web])"},
		{Node: "n2", Error: "pdb prevents pod evictions (PodDisruptionBudget=[default/web])"},
		{Node: "n3", Error: "node isn't managed by karpenter"},
	}
	if !reflect.DeepEqual(result.Rejected, want) {
		t.Errorf("%+v", result.Rejected)
	}
	result = ask(t, pool(`{"consolidationPolicy":"Balanced"}`), machine("n2", "unknown", 4), pod("b", "n2", "1"))
	want = []rejection{
		{Node: "n2", Method: "emptiness"},
		{Node: "n2", Method: "consolidation", Message: `Instance Type "unknown" not found`},
	}
	if !reflect.DeepEqual(result.Rejected, want) {
		t.Errorf("%+v", result.Rejected)
	}
	if result.Budgets["Underutilized"]["pool"] != 1 {
		t.Errorf("10%% of a node is one: %v", result.Budgets)
	}
}

func TestReplacement(t *testing.T) {
	result := ask(t, pool(`{"consolidationPolicy":"Balanced"}`), machine("n1", "large", 4), pod("a", "n1", "900m"))
	single := result.Single[0]
	want := &replacement{
		NodePool: "pool", InstanceTypes: []string{"small"}, Zones: []string{"a", "b"}, CapacityTypes: []string{"on-demand"},
		Cheapest: &price{"a", "on-demand", 1}, Requests: single.Replacement.Requests,
	}
	if !reflect.DeepEqual(single.Replacement, want) || single.Savings != 1 {
		t.Errorf("%+v saves %v", single.Replacement, single.Savings)
	}
	// Half of the pool's cost is saved for all of its disruption.
	if *single.Balanced != (balanced{Promising: true, Approved: true, Score: 0.5}) {
		t.Errorf("%+v", single.Balanced)
	}
	if result.Balanced["pool"] != (totals{TotalCost: 2, TotalDisruptionCost: 2}) {
		t.Errorf("%+v", result.Balanced)
	}
}

func TestSpotThatNobodySells(t *testing.T) {
	result := ask(t, poolOf(`{}`, ""), machine("n1", "large", 4), pod("a", "n1", "900m"))
	bought := result.Single[0].Replacement
	if bought.Cheapest != nil || !reflect.DeepEqual(bought.CapacityTypes, []string{"spot"}) {
		t.Errorf("%+v", bought)
	}
}

func TestEveryQuestionGetsALine(t *testing.T) {
	questions := "{}\nnonsense\n" + `{` + now + `}` + "\n" + `{` + now + `,"ask":["weather"]}` + "\n" +
		`{` + now + `,"objects":[{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"p"}}]}`
	var answers bytes.Buffer
	if err := run(nil, strings.NewReader(questions), &answers); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(answers.String()), "\n")
	if len(lines) != 5 || strings.Contains(lines[2], "error") || !strings.Contains(lines[4], "nodeClassRef") {
		t.Errorf("%s", answers.String())
	}
}
