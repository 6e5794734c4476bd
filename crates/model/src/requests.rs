//! What a pod asks of a node, by the rule that the scheduler and the kubelet share.

use smallvec::SmallVec;

use crate::resources::Rounding;
use crate::{Quantity, Resources, Str, Strings};

/// Exact amounts by resource name, in no particular order. Sums are rounded once, at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amounts(SmallVec<[(Str, i128); 4]>);

impl Amounts {
    /// Sets one resource.
    pub fn set(&mut self, name: Str, amount: Quantity) {
        *self.slot(name) = amount.nanos();
    }

    /// Whether the resource is given.
    pub fn has(&self, name: Str) -> bool {
        self.0.iter().any(|(given, _)| *given == name)
    }

    /// Adds what `other` has and `self` lacks, as the API server fills in requests from limits.
    pub fn fill_from(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            if !self.has(*name) {
                self.0.push((*name, *amount));
            }
        }
    }

    /// Whether nothing is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn slot(&mut self, name: Str) -> &mut i128 {
        let at = self.0.iter().position(|(given, _)| *given == name).unwrap_or_else(|| {
            self.0.push((name, 0));
            self.0.len() - 1
        });
        &mut self.0[at].1
    }

    fn add(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let slot = self.slot(*name);
            *slot = slot.saturating_add(*amount);
        }
    }

    fn raise_to(&mut self, other: &Self) {
        for (name, amount) in &other.0 {
            let slot = self.slot(*name);
            *slot = (*slot).max(*amount);
        }
    }

    /// The amounts in the scheduler's units.
    pub fn to_resources(&self, rounding: Rounding, strings: &Strings) -> Resources {
        let mut resources = Resources::default();
        for (name, amount) in &self.0 {
            resources.set(*name, Quantity::from_nanos(*amount), rounding, strings);
        }
        resources
    }
}

/// One container: what its spec asks for and, where its status says so, what the node has granted and what it has.
#[derive(Clone, Debug, Default)]
pub struct ContainerRequests {
    /// An init container that keeps running (`restartPolicy: Always`).
    pub sidecar: bool,
    /// `resources.requests` of the spec, filled in from the limits.
    pub spec: Amounts,
    /// `allocatedResources` of its status.
    pub allocated: Option<Amounts>,
    /// `resources.requests` of its status.
    pub actual: Option<Amounts>,
}

impl ContainerRequests {
    /// While a resize is under way the larger of wanted, granted and actual counts; a resize that can never be granted
    /// does not.
    fn held(&self, resize_infeasible: bool) -> Amounts {
        let Some(actual) = &self.actual else { return self.spec.clone() };
        let mut held = actual.clone();
        if let Some(allocated) = &self.allocated {
            held.raise_to(allocated);
        }
        if !resize_infeasible {
            held.raise_to(&self.spec);
        }
        held
    }
}

/// Everything in a pod's spec and status that decides its requests.
#[derive(Clone, Debug, Default)]
pub struct PodRequests {
    /// Init containers in their order, sidecars among them.
    pub init: Vec<ContainerRequests>,
    /// Containers.
    pub containers: Vec<ContainerRequests>,
    /// `spec.resources.requests`: cpu, memory and huge pages of the whole pod.
    pub pod_level: Amounts,
    /// What the runtime class adds.
    pub overhead: Amounts,
    /// The kubelet said that the pending resize does not fit its node.
    pub resize_infeasible: bool,
}

impl PodRequests {
    /// What a new pod of this spec asks for.
    pub fn fresh(&self) -> Amounts {
        self.total(|container| container.spec.clone())
    }

    /// What the running pod holds on its node, resizes in place included.
    pub fn held(&self) -> Amounts {
        self.total(|container| container.held(self.resize_infeasible))
    }

    /// Whether some container's status differs from its spec, so that [`Self::held`] may differ from [`Self::fresh`].
    pub fn may_be_resized(&self) -> bool {
        let differs = |container: &ContainerRequests| {
            [&container.actual, &container.allocated]
                .into_iter()
                .flatten()
                .any(|amounts| *amounts != container.spec)
        };
        self.containers.iter().any(differs) || self.init.iter().any(differs)
    }

    fn total(&self, of: impl Fn(&ContainerRequests) -> Amounts) -> Amounts {
        let mut total = Amounts::default();
        for container in &self.containers {
            total.add(&of(container));
        }
        // Sidecars run beside everything that starts after them; a plain init container runs alone with the sidecars before it.
        let (mut sidecars, mut highest) = (Amounts::default(), Amounts::default());
        for container in &self.init {
            let mut running =
                if container.sidecar { of(container) } else { container.spec.clone() };
            if container.sidecar {
                total.add(&running);
                sidecars.add(&running);
                running.clone_from(&sidecars);
            } else {
                running.add(&sidecars);
            }
            highest.raise_to(&running);
        }
        total.raise_to(&highest);
        for (name, amount) in &self.pod_level.0 {
            *total.slot(*name) = *amount;
        }
        total.add(&self.overhead);
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct World(Strings);

    impl World {
        fn amounts(&mut self, cpu: &str) -> Amounts {
            let mut amounts = Amounts::default();
            amounts.set(self.0.intern("cpu"), cpu.parse().unwrap());
            amounts
        }

        fn container(&mut self, cpu: &str) -> ContainerRequests {
            ContainerRequests { spec: self.amounts(cpu), ..ContainerRequests::default() }
        }

        fn sidecar(&mut self, cpu: &str) -> ContainerRequests {
            ContainerRequests { sidecar: true, ..self.container(cpu) }
        }

        fn cpu(&mut self, amounts: &Amounts) -> i64 {
            amounts.to_resources(Rounding::Up, &self.0).cpu
        }
    }

    #[test]
    fn containers_add_up_and_round_once() {
        let mut w = World(Strings::default());
        let containers = vec![w.container("500u"), w.container("500u"), w.container("1")];
        let pod = PodRequests { containers, ..PodRequests::default() };
        assert_eq!(w.cpu(&pod.fresh()), 1001);
    }

    #[test]
    fn the_largest_init_container_counts_if_it_exceeds_the_containers() {
        let mut w = World(Strings::default());
        let pod = PodRequests {
            init: vec![w.container("300m"), w.container("2")],
            containers: vec![w.container("1"), w.container("500m")],
            ..PodRequests::default()
        };
        assert_eq!(w.cpu(&pod.fresh()), 2000);
    }

    #[test]
    fn a_sidecar_counts_beside_the_containers_and_beside_later_init_containers() {
        let mut w = World(Strings::default());
        let pod = PodRequests {
            init: vec![w.container("1900m"), w.sidecar("200m"), w.container("1900m")],
            containers: vec![w.container("1")],
            ..PodRequests::default()
        };
        assert_eq!(w.cpu(&pod.fresh()), 2100);
        let pod = PodRequests { containers: vec![w.container("2")], ..pod };
        assert_eq!(w.cpu(&pod.fresh()), 2200);
    }

    #[test]
    fn pod_level_requests_replace_the_sum_and_overhead_comes_on_top() {
        let mut w = World(Strings::default());
        let pod = PodRequests {
            containers: vec![w.container("1")],
            pod_level: w.amounts("3"),
            overhead: w.amounts("250m"),
            ..PodRequests::default()
        };
        assert_eq!(w.cpu(&pod.fresh()), 3250);
    }

    #[test]
    fn while_it_is_resized_a_pod_holds_the_largest_of_wanted_granted_and_actual() {
        let mut w = World(Strings::default());
        let container = ContainerRequests {
            actual: Some(w.amounts("3")),
            allocated: Some(w.amounts("2")),
            ..w.container("1")
        };
        let mut pod = PodRequests { containers: vec![container], ..PodRequests::default() };
        assert!(pod.may_be_resized());
        assert_eq!(w.cpu(&pod.held()), 3000);
        assert_eq!(w.cpu(&pod.fresh()), 1000);
        pod.containers[0].spec = w.amounts("8");
        assert_eq!(w.cpu(&pod.held()), 8000);
        pod.resize_infeasible = true;
        assert_eq!(w.cpu(&pod.held()), 3000);
    }
}
