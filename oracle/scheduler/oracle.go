package main

import (
	"context"
	"fmt"
	"io"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// oracle is the default profile of kube-scheduler around an empty cluster. Clusters are loaded into it one after the other:
// building the plugins anew would take longer than asking them.
type oracle struct {
	ctx       context.Context
	framework framework.Framework
	cache     internalcache.Cache
	snapshot  *internalcache.Snapshot
	nominator *nominator
	// indexes are what the listers of the plugins read, by type.
	indexes map[string]cache.Indexer
	// weights of the plugins that score, or nil if nobody asked for scores.
	weights map[string]int64
	// asked holds the pods to ask about, or nil for all.
	asked map[string]bool
}

func newOracle(score string) (*oracle, error) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	metrics.Register()
	ctx := klog.NewContext(context.Background(), klog.Logger{})
	settings, err := latest.Default()
	if err != nil {
		return nil, err
	}
	profile := &settings.Profiles[0]
	if err := useStrategy(profile, score); err != nil {
		return nil, err
	}

	// Nothing is ever sent: the informers are not started, their indexes are filled by hand.
	client, err := kubernetes.NewForConfig(&rest.Config{})
	if err != nil {
		return nil, err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	resources, err := noDynamicResources(ctx, factory)
	if err != nil {
		return nil, err
	}
	result := &oracle{
		ctx:       ctx,
		cache:     internalcache.New(ctx, nil, false),
		snapshot:  internalcache.NewEmptySnapshot(),
		nominator: &nominator{},
	}
	result.framework, err = frameworkruntime.NewFramework(ctx, plugins.NewInTreeRegistry(), profile,
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithInformerFactory(factory),
		frameworkruntime.WithSharedDRAManager(resources),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(factory.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithSnapshotSharedLister(result.snapshot),
		frameworkruntime.WithPodNominator(result.nominator),
		frameworkruntime.WithPodGroupManager(result.cache),
		frameworkruntime.WithParallelism(1),
	)
	if err != nil {
		return nil, err
	}
	result.indexes = indexesOf(factory)
	if score != "" {
		result.weights = map[string]int64{}
		for _, plugin := range profile.Plugins.MultiPoint.Enabled {
			result.weights[plugin.Name] = int64(plugin.Weight)
		}
	}
	return result, nil
}

func useStrategy(profile *config.KubeSchedulerProfile, score string) error {
	kinds := map[string]config.ScoringStrategyType{"": "", "least": config.LeastAllocated, "most": config.MostAllocated}
	kind, known := kinds[score]
	if !known {
		return fmt.Errorf("-score takes least or most, not %q", score)
	}
	for _, plugin := range profile.PluginConfig {
		if fit, ok := plugin.Args.(*config.NodeResourcesFitArgs); ok && kind != "" {
			fit.ScoringStrategy.Type = kind
		}
	}
	return nil
}

// noDynamicResources is what the plugins need to see that there are none.
func noDynamicResources(ctx context.Context, factory informers.SharedInformerFactory) (fwk.SharedDRAManager, error) {
	claims := factory.Resource().V1().ResourceClaims().Informer()
	slices := resourceslicetracker.Options{SliceInformer: factory.Resource().V1().ResourceSlices()}
	tracker, err := resourceslicetracker.StartTracker(ctx, slices)
	if err != nil {
		return nil, err
	}
	known := assumecache.NewAssumeCache(klog.FromContext(ctx), claims, "ResourceClaim", "", nil)
	return dynamicresources.NewDRAManager(ctx, known, tracker, factory), nil
}

func indexesOf(factory informers.SharedInformerFactory) map[string]cache.Indexer {
	core, apps, storage := factory.Core().V1(), factory.Apps().V1(), factory.Storage().V1()
	return map[string]cache.Indexer{
		kindOf(&v1.Namespace{}):                 core.Namespaces().Informer().GetIndexer(),
		kindOf(&v1.PersistentVolume{}):          core.PersistentVolumes().Informer().GetIndexer(),
		kindOf(&v1.PersistentVolumeClaim{}):     core.PersistentVolumeClaims().Informer().GetIndexer(),
		kindOf(&v1.Service{}):                   core.Services().Informer().GetIndexer(),
		kindOf(&v1.ReplicationController{}):     core.ReplicationControllers().Informer().GetIndexer(),
		kindOf(&appsv1.ReplicaSet{}):            apps.ReplicaSets().Informer().GetIndexer(),
		kindOf(&appsv1.StatefulSet{}):           apps.StatefulSets().Informer().GetIndexer(),
		kindOf(&storagev1.StorageClass{}):       storage.StorageClasses().Informer().GetIndexer(),
		kindOf(&storagev1.CSINode{}):            storage.CSINodes().Informer().GetIndexer(),
		kindOf(&storagev1.CSIDriver{}):          storage.CSIDrivers().Informer().GetIndexer(),
		kindOf(&storagev1.CSIStorageCapacity{}): storage.CSIStorageCapacities().Informer().GetIndexer(),
		kindOf(&storagev1.VolumeAttachment{}):   storage.VolumeAttachments().Informer().GetIndexer(),
	}
}

// load puts a cluster in place of the one before.
func (o *oracle) load(c *cluster) error {
	for kind, index := range o.indexes {
		if err := index.Replace(c.others[kind], ""); err != nil {
			return err
		}
	}
	logger := klog.FromContext(o.ctx)
	for _, node := range c.nodes {
		o.cache.AddNode(logger, node)
	}
	o.nominator.pods = nil
	for _, pod := range c.pods {
		switch {
		case isFinished(pod):
		case pod.Spec.NodeName != "":
			if err := o.cache.AddPod(logger, pod); err != nil {
				return err
			}
		case pod.Status.NominatedNodeName != "" && len(pod.Spec.SchedulingGates) == 0:
			info, err := framework.NewPodInfo(pod)
			if err != nil {
				return err
			}
			o.nominator.pods = append(o.nominator.pods, info)
		}
	}
	o.nominator.sort()
	return o.cache.UpdateSnapshot(logger, o.snapshot)
}

// unload takes the cluster out again, and makes sure that nothing of it stays.
func (o *oracle) unload(c *cluster) error {
	logger := klog.FromContext(o.ctx)
	for _, pod := range c.pods {
		if pod.Spec.NodeName == "" || isFinished(pod) {
			continue
		}
		if err := o.cache.RemovePod(logger, pod); err != nil {
			return err
		}
	}
	for _, node := range c.nodes {
		if err := o.cache.RemoveNode(logger, node); err != nil {
			return err
		}
	}
	if err := o.cache.UpdateSnapshot(logger, o.snapshot); err != nil {
		return err
	}
	if left := o.cache.Dump(); len(left.Nodes) > 0 || o.snapshot.NumNodesInPlacement() > 0 {
		return fmt.Errorf("%d nodes of the cluster before are still there", len(left.Nodes))
	}
	return nil
}

// isFinished says whether kube-scheduler leaves the pod out of its informer.
func isFinished(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// nominator holds the pods for which a preemption made room.
type nominator struct {
	pods []*framework.PodInfo
}

func (n *nominator) sort() {
	name := func(i int) string { return n.pods[i].Pod.Namespace + "/" + n.pods[i].Pod.Name }
	sort.Slice(n.pods, func(i, j int) bool { return name(i) < name(j) })
}

// NominatedPodsForNode is all that filters ask for.
func (n *nominator) NominatedPodsForNode(node string) []fwk.PodInfo {
	var found []fwk.PodInfo
	for _, pod := range n.pods {
		if pod.Pod.Status.NominatedNodeName == node {
			found = append(found, pod)
		}
	}
	return found
}

func (*nominator) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (*nominator) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (*nominator) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
