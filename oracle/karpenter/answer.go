package main

import (
	"math"
	"slices"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/events"
	disruptionutils "sigs.k8s.io/karpenter/pkg/utils/disruption"
	"sigs.k8s.io/karpenter/pkg/utils/pdb"
)

// answer is one line of output. Lists are in the order of names unless they say otherwise.
type answer struct {
	// Error says that the whole question failed.
	Error      string                    `json:"error,omitempty"`
	Candidates []candidate               `json:"candidates,omitempty"`
	Rejected   []rejection               `json:"rejected,omitempty"`
	Budgets    map[string]map[string]int `json:"budgets,omitempty"`
	// Balanced are the totals of the pools with that policy.
	Balanced    map[string]totals `json:"balanced,omitempty"`
	Emptiness   *emptiness        `json:"emptiness,omitempty"`
	Multi       *decision         `json:"multi,omitempty"`
	Single      []decision        `json:"single,omitempty"`
	Simulations []simulation      `json:"simulations,omitempty"`
}

// candidate is a node that may be disrupted, for whatever reason.
type candidate struct {
	Node                     string  `json:"node"`
	NodePool                 string  `json:"nodePool"`
	Price                    float64 `json:"price"`
	RescheduleDisruptionCost float64 `json:"rescheduleDisruptionCost"`
	DisruptionCost           float64 `json:"disruptionCost"`
	SavingsRatio             float64 `json:"savingsRatio"`
	LifetimeRemaining        float64 `json:"lifetimeRemaining"`
	Empty                    bool    `json:"empty"`
}

// rejection says why a node is no candidate, or which method leaves it out.
type rejection struct {
	Node string `json:"node"`
	// Error is that of the construction of a candidate.
	Error string `json:"error,omitempty"`
	// Method is emptiness or consolidation, which is both multi-node and single-node.
	Method string `json:"method,omitempty"`
	// Message is that of the event; some methods leave nodes out silently.
	Message string `json:"message,omitempty"`
}

type totals struct {
	TotalCost           float64 `json:"totalCost"`
	TotalDisruptionCost float64 `json:"totalDisruptionCost"`
}

type emptiness struct {
	Nodes []string `json:"nodes"`
	// Order is that in which nodes were looked at.
	Order []string `json:"order"`
}

// decision is a command, or why there is none.
type decision struct {
	// Node is the one that single-node consolidation was asked about.
	Node string `json:"node,omitempty"`
	// Decision is delete, replace or none.
	Decision string   `json:"decision"`
	Nodes    []string `json:"nodes,omitempty"`
	// Order is that of the candidates of multi-node consolidation.
	Order       []string     `json:"order,omitempty"`
	Replacement *replacement `json:"replacement,omitempty"`
	Savings     float64      `json:"savings,omitempty"`
	Placements  []placement  `json:"placements,omitempty"`
	// Message is that of the event about the node, if there is no command.
	Message string `json:"message,omitempty"`
	// PodErrors say which pods could not be placed, if that is the message.
	PodErrors []podError `json:"podErrors,omitempty"`
	// Error is one that Karpenter logs; then it does nothing.
	Error string `json:"error,omitempty"`
	// Balanced is there for commands about nodes of pools with that policy.
	Balanced *balanced `json:"balanced,omitempty"`
	// Others are the different answers to the same question, if it was asked repeatedly.
	Others []decision `json:"others,omitempty"`
}

// balanced says what the policy of that name thinks of a command.
type balanced struct {
	// Promising says that deleting the node alone would pass; single-node does not look at it otherwise.
	Promising bool    `json:"promising"`
	Approved  bool    `json:"approved"`
	Score     float64 `json:"score"`
}

func (p *pass) answer() (*answer, error) {
	result := &answer{}
	if p.asked.wants(askCandidates) {
		if err := p.candidates(result); err != nil {
			return nil, err
		}
	}
	if p.asked.wants(askEmptiness) {
		if err := p.answerEmptiness(result); err != nil {
			return nil, err
		}
	}
	if p.asked.wants(askMulti) || p.asked.wants(askSingle) || p.asked.wants(askSimulations) {
		if err := p.consolidation(result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// candidates looks at each node as every method does before it does anything else.
func (p *pass) candidates(result *answer) error {
	pools, types, err := disruption.BuildNodePoolMap(p.ctx, p.client, p.provider)
	if err != nil {
		return err
	}
	limits, err := pdb.NewLimits(p.ctx, p.client)
	if err != nil {
		return err
	}
	nodes := p.cluster.DeepCopyNodes()
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Name() < nodes[j].Name() })
	for _, node := range nodes {
		found, err := disruption.NewCandidate(p.ctx, p.client, p.recorder, p.clock, node, limits, pools, types, p.queue,
			disruption.GracefulDisruptionClass)
		if err != nil {
			result.Rejected = append(result.Rejected, rejection{Node: node.Name(), Error: err.Error()})
			continue
		}
		result.Candidates = append(result.Candidates, candidate{
			Node:                     found.Name(),
			NodePool:                 found.NodePool.Name,
			Price:                    found.Price,
			RescheduleDisruptionCost: found.RescheduleDisruptionCost,
			DisruptionCost:           found.DisruptionCost,
			SavingsRatio:             found.SavingsRatio(),
			LifetimeRemaining:        disruptionutils.LifetimeRemaining(p.clock, found.NodePool, found.NodeClaim),
			Empty:                    found.IsEmpty(),
		})
		for _, method := range []struct {
			name string
			disruption.Method
		}{{"emptiness", p.emptiness()}, {"consolidation", p.single()}} {
			p.recorder.listen()
			if !method.ShouldDisrupt(p.ctx, found) {
				message := p.recorder.about(found.Node.Name, events.Unconsolidatable)
				result.Rejected = append(result.Rejected, rejection{Node: found.Name(), Method: method.name, Message: message})
			}
		}
	}
	result.Budgets = map[string]map[string]int{}
	for _, reason := range []v1.DisruptionReason{v1.DisruptionReasonEmpty, v1.DisruptionReasonUnderutilized} {
		if result.Budgets[string(reason)], err = p.budgets(reason); err != nil {
			return err
		}
	}
	return nil
}

func (p *pass) budgets(reason v1.DisruptionReason) (map[string]int, error) {
	return disruption.BuildDisruptionBudgetMapping(p.ctx, p.cluster, p.clock, p.client, p.provider, p.recorder, reason)
}

// chosen are the candidates of a method in the order in which it looks at them. Karpenter's sort leaves equal ones in the
// order of a map; here the name decides, which the sort keeps as it finds nothing to do.
func (p *pass) chosen(method disruption.Method) ([]*disruption.Candidate, map[string]disruption.NodePoolTotals, error) {
	found, totals, err := disruption.GetCandidatesWithTotals(p.ctx, p.cluster, p.client, p.recorder, p.clock, p.provider,
		method.ShouldDisrupt, method.Class(), p.queue, p.cost)
	sort.Slice(found, func(i, j int) bool {
		if a, b := found[i].SavingsRatio(), found[j].SavingsRatio(); a != b {
			return a > b
		}
		return found[i].Name() < found[j].Name()
	})
	return found, totals, err
}

func (p *pass) answerEmptiness(result *answer) error {
	method := p.emptiness()
	found, _, err := p.chosen(method)
	if err != nil {
		return err
	}
	budgets, err := p.budgets(method.Reason())
	if err != nil {
		return err
	}
	commands, err := method.ComputeCommands(p.ctx, budgets, found...)
	if err != nil {
		return err
	}
	result.Emptiness = &emptiness{Nodes: []string{}, Order: names(found)}
	for _, command := range commands {
		result.Emptiness.Nodes = append(result.Emptiness.Nodes, names(command.Candidates)...)
	}
	slices.Sort(result.Emptiness.Nodes)
	return nil
}

func (p *pass) consolidation(result *answer) error {
	method := p.multi()
	found, all, err := p.chosen(method)
	if err != nil {
		return err
	}
	for _, pool := range p.client.objects.pools {
		sums, known := all[pool.Name]
		if known && pool.Spec.Disruption.ConsolidationPolicy.IsBalanced() {
			if result.Balanced == nil {
				result.Balanced = map[string]totals{}
			}
			result.Balanced[pool.Name] = totals(sums)
		}
	}
	if p.asked.wants(askMulti) {
		multi, err := p.repeatedly(func() (decision, error) { return p.answerMulti(slices.Clone(found), all) })
		if err != nil {
			return err
		}
		multi.Order = names(found)
		result.Multi = &multi
	}
	byName := slices.Clone(found)
	sort.Slice(byName, func(i, j int) bool { return byName[i].Name() < byName[j].Name() })
	if p.asked.wants(askSingle) {
		for _, one := range byName {
			single, err := p.repeatedly(func() (decision, error) { return p.answerSingle(one, all) })
			if err != nil {
				return err
			}
			result.Single = append(result.Single, single)
		}
	}
	if p.asked.wants(askSimulations) {
		for _, one := range byName {
			result.Simulations = append(result.Simulations, p.simulation(one))
		}
	}
	return nil
}

func (p *pass) answerMulti(found []*disruption.Candidate, all map[string]disruption.NodePoolTotals) (decision, error) {
	method := p.multi()
	method.SetNodePoolTotals(all)
	budgets, err := p.budgets(method.Reason())
	if err != nil {
		return decision{}, err
	}
	commands, err := method.ComputeCommands(p.ctx, budgets, found...)
	if err != nil {
		return decision{Decision: "none", Error: err.Error()}, nil
	}
	return p.decision(commands, all), nil
}

// answerSingle asks about one node as if its pool's budget allowed it. The policy of the pool is asked afterwards, to see
// the command that it rejects.
func (p *pass) answerSingle(one *disruption.Candidate, all map[string]disruption.NodePoolTotals) (decision, error) {
	p.recorder.listen()
	p.failures.texts = nil
	method := p.single()
	commands, err := method.ComputeCommands(p.ctx, map[string]int{one.NodePool.Name: 1}, one)
	if err != nil {
		return decision{}, err
	}
	result := p.decision(commands, all)
	result.Node, result.Nodes = one.Name(), nil
	if len(p.failures.texts) > 0 {
		result.Error = p.failures.texts[0]
	}
	if one.NodePool.Spec.Disruption.ConsolidationPolicy.IsBalanced() {
		if result.Balanced == nil {
			result.Balanced = &balanced{}
		}
		result.Balanced.Promising = disruption.NewBalancedEvaluator(all, p.recorder).CanPassThreshold(one)
	}
	if result.Decision != "none" {
		return result, nil
	}
	result.Message = p.recorder.about(one.Node.Name, events.Unconsolidatable)
	// The pods come in the order of a map, and not all of them.
	const unplaced = "Not all pods would schedule"
	if strings.HasPrefix(result.Message, unplaced) {
		result.Message = unplaced
		simulated, err := p.simulate(one)
		if err != nil {
			return decision{}, err
		}
		result.PodErrors = podErrors(simulated, false)
	}
	return result, nil
}

// simulate is what a node's consolidation starts with.
func (p *pass) simulate(one *disruption.Candidate) (scheduling.Results, error) {
	return disruption.SimulateScheduling(p.ctx, p.client, p.cluster, p.provisioner, p.clock, p.recorder,
		[]scheduling.Options{scheduling.IsConsolidationSimulation}, one)
}

// decision reads what a method returned, which is one command at most.
func (p *pass) decision(commands []disruption.Command, all map[string]disruption.NodePoolTotals) decision {
	if len(commands) == 0 {
		return decision{Decision: "none"}
	}
	command := commands[0]
	result := decision{
		Decision:   string(command.Decision()),
		Nodes:      names(command.Candidates),
		Savings:    command.EstimatedSavings(),
		Placements: placements(command.Results),
	}
	slices.Sort(result.Nodes)
	if len(command.Replacements) > 0 {
		result.Replacement = p.replacement(command.Replacements[0].NodeClaim)
	}
	if approved, scores := disruption.EvaluateBalancedMove(p.ctx, command, all); len(scores) > 0 {
		result.Balanced = &balanced{Approved: approved, Score: math.MaxFloat64}
		for _, score := range scores {
			result.Balanced.Score = min(result.Balanced.Score, score.Score())
		}
	}
	return result
}

func names(candidates []*disruption.Candidate) []string {
	result := []string{}
	for _, one := range candidates {
		result = append(result, one.Name())
	}
	return result
}

func podName(pod *corev1.Pod) string { return pod.Namespace + "/" + pod.Name }
