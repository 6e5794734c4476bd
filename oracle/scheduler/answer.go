package main

import (
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// clusterAnswer is one line of output.
type clusterAnswer struct {
	// Error says that the cluster could not be read.
	Error string       `json:"error,omitempty"`
	Pods  []*podAnswer `json:"pods"`
}

// podAnswer says where a pod can run.
type podAnswer struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// Gated says that the scheduler does not look at the pod yet; the rest is what it would find.
	Gated      bool        `json:"gated,omitempty"`
	Feasible   []string    `json:"feasible"`
	Infeasible []rejection `json:"infeasible"`
	// Errors made the scheduler give up on the pod; they are no rejections.
	Errors []failure   `json:"errors,omitempty"`
	Best   []string    `json:"best,omitempty"`
	Scores []nodeScore `json:"scores,omitempty"`
}

type rejection struct {
	Node    string   `json:"node"`
	Plugin  string   `json:"plugin"`
	Reasons []string `json:"reasons"`
}

type failure struct {
	// Node is empty if the plugin failed before it looked at nodes.
	Node    string `json:"node,omitempty"`
	Plugin  string `json:"plugin"`
	Message string `json:"message"`
}

type nodeScore struct {
	Node    string                 `json:"node"`
	Total   int64                  `json:"total"`
	Plugins map[string]pluginScore `json:"plugins"`
}

// pluginScore is normalised; the total counts it with its weight.
type pluginScore struct {
	Score  int64 `json:"score"`
	Weight int64 `json:"weight"`
}

func (o *oracle) answer(text []byte) (*clusterAnswer, error) {
	c, err := readCluster(text)
	if err != nil {
		return nil, err
	}
	if err := o.load(c); err != nil {
		return nil, err
	}
	result := &clusterAnswer{Pods: []*podAnswer{}}
	for _, pod := range c.pods {
		if isFinished(pod) || o.asked != nil && !o.asked[pod.Namespace+"/"+pod.Name] {
			continue
		}
		answer, err := o.askEvicted(pod, c.pods)
		if err != nil {
			return nil, err
		}
		result.Pods = append(result.Pods, answer)
	}
	sort.SliceStable(result.Pods, func(i, j int) bool {
		a, b := result.Pods[i], result.Pods[j]
		if a.Namespace != b.Namespace {
			return a.Namespace < b.Namespace
		}
		return a.Name < b.Name
	})
	return result, o.unload(c)
}

// askEvicted asks about a pod while it is not on its node. The node's other pods are added anew: the cache keeps ports as a
// set, so that a pod which leaves takes along a port that another one holds as well.
func (o *oracle) askEvicted(pod *v1.Pod, pods []*v1.Pod) (*podAnswer, error) {
	if pod.Spec.NodeName == "" {
		return o.ask(pod), nil
	}
	logger := klog.FromContext(o.ctx)
	var others []*v1.Pod
	for _, other := range pods {
		if other != pod && other.Spec.NodeName == pod.Spec.NodeName && !isFinished(other) {
			others = append(others, other)
		}
	}
	for _, resident := range append([]*v1.Pod{pod}, others...) {
		if err := o.cache.RemovePod(logger, resident); err != nil {
			return nil, err
		}
	}
	for _, other := range others {
		if err := o.cache.AddPod(logger, other); err != nil {
			return nil, err
		}
	}
	if err := o.cache.UpdateSnapshot(logger, o.snapshot); err != nil {
		return nil, err
	}
	evicted := pod.DeepCopy()
	evicted.Spec.NodeName = ""
	answer := o.ask(evicted)
	if err := o.cache.AddPod(logger, pod); err != nil {
		return nil, err
	}
	return answer, o.cache.UpdateSnapshot(logger, o.snapshot)
}

func (o *oracle) ask(pod *v1.Pod) *podAnswer {
	answer := &podAnswer{
		Namespace:  pod.Namespace,
		Name:       pod.Name,
		Gated:      len(pod.Spec.SchedulingGates) > 0,
		Feasible:   []string{},
		Infeasible: []rejection{},
	}
	nodes, err := o.snapshot.List()
	if err != nil {
		answer.fail("", fwk.AsStatus(err))
		return answer
	}
	nodes = append([]fwk.NodeInfo(nil), nodes...)
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Node().Name < nodes[j].Node().Name })

	state := framework.NewCycleState()
	chosen, status, choosers := o.framework.RunPreFilterPlugins(o.ctx, state, pod)
	if !status.IsSuccess() {
		if !status.IsRejected() {
			answer.fail("", status)
			return answer
		}
		for _, node := range nodes {
			answer.reject(node, status, choosers)
		}
		return answer
	}
	var feasible []fwk.NodeInfo
	for _, node := range nodes {
		if !chosen.AllNodes() && !chosen.NodeNames.Has(node.Node().Name) {
			answer.reject(node, fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "node(s) didn't satisfy plugin(s)"), choosers)
			continue
		}
		status := o.framework.RunFilterPluginsWithNominatedPods(o.ctx, state, pod, node)
		switch {
		case status.IsSuccess():
			feasible = append(feasible, node)
			answer.Feasible = append(answer.Feasible, node.Node().Name)
		case status.IsRejected():
			answer.reject(node, status, nil)
		default:
			answer.fail(node.Node().Name, status)
		}
	}
	if o.weights != nil && len(answer.Errors) == 0 && len(feasible) > 0 {
		o.score(state, pod, feasible, answer)
	}
	return answer
}

// score finds the nodes among which kube-scheduler picks at random. It does not score a single one, and neither would that
// change anything.
func (o *oracle) score(state fwk.CycleState, pod *v1.Pod, feasible []fwk.NodeInfo, answer *podAnswer) {
	if len(feasible) == 1 {
		answer.Best = answer.Feasible
		return
	}
	if status := o.framework.RunPreScorePlugins(o.ctx, state, pod, feasible); !status.IsSuccess() {
		answer.fail("", status)
		return
	}
	scores, status := o.framework.RunScorePlugins(o.ctx, state, pod, feasible)
	if !status.IsSuccess() {
		answer.fail("", status)
		return
	}
	best := scores[0].TotalScore
	for _, node := range scores {
		best = max(best, node.TotalScore)
	}
	for _, node := range scores {
		if node.TotalScore == best {
			answer.Best = append(answer.Best, node.Name)
		}
		plugins := map[string]pluginScore{}
		for _, plugin := range node.Scores {
			weight := max(o.weights[plugin.Name], 1)
			plugins[plugin.Name] = pluginScore{Score: plugin.Score / weight, Weight: weight}
		}
		answer.Scores = append(answer.Scores, nodeScore{Node: node.Name, Total: node.TotalScore, Plugins: plugins})
	}
}

// reject notes a rejection. Plugins that name the nodes they want (choosers) leave no mark on the others.
func (a *podAnswer) reject(node fwk.NodeInfo, status *fwk.Status, choosers sets.Set[string]) {
	reasons := append([]string{}, status.Reasons()...)
	// Resources come in the order of a map.
	sort.Strings(reasons)
	plugin := status.Plugin()
	if plugin == "" {
		plugin = strings.Join(sets.List(choosers), ",")
	}
	a.Infeasible = append(a.Infeasible, rejection{Node: node.Node().Name, Plugin: plugin, Reasons: reasons})
}

func (a *podAnswer) fail(node string, status *fwk.Status) {
	a.Errors = append(a.Errors, failure{Node: node, Plugin: status.Plugin(), Message: status.Message()})
}
