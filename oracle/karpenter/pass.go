package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	"sigs.k8s.io/karpenter/pkg/state/cost"
	nodeclaimutils "sigs.k8s.io/karpenter/pkg/utils/nodeclaim"
)

// pass is what one pass of Karpenter's disruption controller works with, made anew for every question.
type pass struct {
	asked       *question
	ctx         context.Context
	clock       *clocktesting.FakeClock
	client      *memory
	provider    *provider
	cluster     *state.Cluster
	cost        *cost.ClusterCost
	recorder    *recorder
	failures    *failures
	provisioner *provisioning.Provisioner
	queue       *disruption.Queue
}

func newPass(asked *question) (*pass, error) {
	objects, err := readObjects(asked.Objects, metav1.NewTime(asked.Now))
	if err != nil {
		return nil, err
	}
	sold, err := newProvider(asked, objects)
	if err != nil {
		return nil, err
	}
	result := &pass{
		asked:    asked,
		clock:    clocktesting.NewFakeClock(asked.Now),
		client:   newMemory(objects),
		provider: sold,
		recorder: &recorder{},
		failures: &failures{},
	}
	gates := options.DefaultFeatureGates()
	gates.SpotToSpotConsolidation = asked.Options.SpotToSpot
	ctx := options.ToContext(context.Background(), &options.Options{
		CPURequests:       1000,
		BatchMaxDuration:  10 * time.Second,
		BatchIdleDuration: time.Second,
		PreferencePolicy:  asked.Options.PreferencePolicy,
		MinValuesPolicy:   asked.Options.MinValuesPolicy,
		IgnoreDRARequests: true,
		FeatureGates:      gates,
	})
	ctx = injection.WithControllerName(ctx, "disruption")
	result.ctx = log.IntoContext(ctx, logr.New(result.failures))
	result.cluster = state.NewCluster(result.clock, result.client, sold)
	result.cost = cost.NewClusterCost(result.ctx, sold, result.client)
	if err := result.load(objects); err != nil {
		return nil, err
	}
	result.provisioner = provisioning.NewProvisioner(result.client, result.recorder, sold, result.cluster, result.clock, nil, nil)
	result.queue = disruption.NewQueue(result.client, result.recorder, result.cluster, result.clock, result.provisioner)
	return result, nil
}

// load tells the cluster state of all objects. Claims come first: one that comes later takes the costs of the pods from the
// state of its node.
func (p *pass) load(objects *objects) error {
	for _, claim := range objects.claims {
		if !nodeclaimutils.IsManaged(claim, p.provider) {
			continue
		}
		p.cluster.UpdateNodeClaim(claim.DeepCopy())
		// The operator logs it and tries again, for ever.
		if err := p.cost.UpdateNodeClaim(p.ctx, claim); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("cost of %s: %w", claim.Name, err)
		}
	}
	for _, node := range objects.nodes {
		if err := p.cluster.UpdateNode(p.ctx, node.DeepCopy()); err != nil {
			return fmt.Errorf("node %s: %w", node.Name, err)
		}
	}
	for _, pod := range objects.pods {
		// A node that the state does not have is not there yet, or not any more.
		if err := p.cluster.UpdatePod(p.ctx, pod.DeepCopy()); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
	}
	for _, daemon := range objects.daemons {
		if err := p.cluster.UpdateDaemonSet(p.ctx, daemon.DeepCopy()); err != nil {
			return fmt.Errorf("daemon set %s/%s: %w", daemon.Namespace, daemon.Name, err)
		}
	}
	return nil
}

// Each method is made anew for each use: it remembers when there was nothing to do, and the clock stands still.

func (p *pass) emptiness() *disruption.Emptiness {
	return disruption.NewEmptiness(disruption.MakeConsolidation(p.clock, p.cluster, p.client, p.provisioner, p.provider,
		p.recorder, p.queue), disruption.WithValidator(agree{}))
}

func (p *pass) multi() *disruption.MultiNodeConsolidation {
	return disruption.NewMultiNodeConsolidation(disruption.MakeConsolidation(p.clock, p.cluster, p.client, p.provisioner,
		p.provider, p.recorder, p.queue), disruption.WithValidator(agree{}))
}

func (p *pass) single() *disruption.SingleNodeConsolidation {
	return disruption.NewSingleNodeConsolidation(disruption.MakeConsolidation(p.clock, p.cluster, p.client, p.provisioner,
		p.provider, p.recorder, p.queue), disruption.WithValidator(agree{}))
}

// agree validates every command at once, where Karpenter would wait and look again.
type agree struct{}

func (agree) Validate(_ context.Context, command disruption.Command, _ time.Duration) (disruption.Command, error) {
	return command, nil
}

// recorder keeps the texts of events about nodes.
type recorder struct {
	heard []heard
}

type heard struct {
	node, reason, message string
}

func (r *recorder) Publish(published ...events.Event) {
	for _, event := range published {
		switch about := event.InvolvedObject.(type) {
		case *corev1.Node:
			r.heard = append(r.heard, heard{about.Name, event.Reason, event.Message})
		case *v1.NodeClaim:
			// Where there is a node, it gets the same event.
		}
	}
}

// listen forgets what was heard before.
func (r *recorder) listen() { r.heard = nil }

// about is the first event of that reason about a node.
func (r *recorder) about(node, reason string) string {
	for _, event := range r.heard {
		if event.node == node && event.reason == reason {
			return event.message
		}
	}
	return ""
}

// failures is a log that keeps errors: some are told to nobody else.
type failures struct {
	texts []string
}

func (*failures) Init(logr.RuntimeInfo)            {}
func (*failures) Enabled(int) bool                 { return false }
func (*failures) Info(int, string, ...any)         {}
func (f *failures) WithValues(...any) logr.LogSink { return f }
func (f *failures) WithName(string) logr.LogSink   { return f }
func (f *failures) Error(err error, text string, _ ...any) {
	if err != nil {
		text += ": " + err.Error()
	}
	f.texts = append(f.texts, text)
}
