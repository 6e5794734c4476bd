//! The name of each setting: the same on the command line, in the environment, in annotations and in what-ifs.

use std::fmt;
use std::str::FromStr;

use restow_model::spelling::distance;

/// What a setting is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Each pool may have its own value.
    Pool,
    /// One value for the whole cluster.
    Cluster,
}

macro_rules! settings {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $scope:ident $default:literal),+ $(,)?) => {
        /// A setting.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Name {
            $($(#[doc = $doc])+ $variant),+
        }

        impl Name {
            /// All settings, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Its name.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// Whether each pool may have its own value.
            pub const fn scope(self) -> Scope {
                match self { $(Self::$variant => Scope::$scope),+ }
            }

            /// Its default, as it would be written.
            pub const fn default_text(self) -> &'static str {
                match self { $(Self::$variant => $default),+ }
            }

            /// What it does, in one line.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim_ascii()),+ }
            }
        }
    };
}

settings! {
    /// Whether moves are carried out or only shown: observe or act.
    Mode "mode" Pool "observe",
    /// Presets: seeds, careful or karpenter.
    Profile "profile" Pool "seeds",
    /// Which shapes of moves are allowed.
    ConsolidationPolicy "consolidation-policy" Pool "WhenUnderutilizedOrCheaper",
    /// Quiet time after a pod came or went before a node is looked at, or Never.
    ConsolidateAfter "consolidate-after" Pool "0s",
    /// How long a node that was evaluated in vain is left alone, or Never.
    ConsolidationGracePeriod "consolidation-grace-period" Pool "Never",
    /// Cents per hour that each unit of disruption must save.
    SavingsThresholdCents "savings-threshold-cents" Pool "0",
    /// How daemon pods count in the disruption cost: full, flat (1 each) or none.
    DaemonCost "daemon-cost" Pool "full",
    /// Nodes that are fuller than this are left alone; 1 switches it off.
    ScaledownUtilizationThreshold "scaledown-utilization-threshold" Pool "0.75",
    /// How long a node must have been ready before it may go.
    MinimumNodeLifetime "minimum-node-lifetime" Pool "5m",
    /// How long to wait after a deletion while pods are pending or workloads not ready.
    StabilizationWindow "stabilization-window" Pool "5m",
    /// How often the cluster is looked at.
    PollPeriod "poll-period" Cluster "10s",
    /// How long a move must hold before it is carried out.
    ValidationWait "validation-wait" Cluster "15s",
    /// Seconds after which an empty node goes where consolidation is off.
    TtlSecondsAfterEmpty "ttl-seconds-after-empty" Pool "unset",
    /// Whether empty nodes may go: on, off or policy.
    Emptiness "emptiness" Pool "policy",
    /// Percent of allocatable below which a node counts as nearly empty.
    EmptyThreshold "empty-threshold" Pool "unset",
    /// Whether many nodes may become one: on, off or policy.
    MultiNode "multi-node" Pool "policy",
    /// The most nodes that one move may delete.
    MaxParallel "max-parallel" Pool "100",
    /// Whether one node may become none or one: on, off or policy.
    SingleNode "single-node" Pool "policy",
    /// How many nodes may be disrupted at a time, as YAML in the shape of the spec.
    Budgets "budgets" Pool "[{nodes: 10%}]",
    /// How much disruption policy Balanced accepts for its savings.
    BalancedK "balanced-k" Pool "2",
    /// Whether spot nodes may be replaced by spot nodes.
    SpotToSpot "spot-to-spot" Pool "false",
    /// How many instance types a spot node needs to choose from.
    SpotFlexibility "spot-flexibility" Pool "15",
    /// The least part of the price that a move must save, in percent.
    MinimumSavingsPercent "minimum-savings-percent" Pool "0",
    /// Nodes that expire sooner take no pods.
    DestinationMinimumLifetime "destination-minimum-lifetime" Pool "1h",
    /// The most new nodes that one move may launch.
    MaxReplacements "max-replacements" Pool "8",
    /// Whether all ready replicas of a workload may be moved at once: on forbids it.
    WorkloadFloor "workload-floor" Pool "on",
    /// How long a pod that was moved stays where it is.
    MinimumPodDwell "minimum-pod-dwell" Pool "off",
    /// How many pods may be evicted per time, as YAML.
    RateBudgets "rate-budgets" Pool "off",
    /// When moves may or may not happen, as YAML.
    Windows "windows" Pool "off",
    /// Room that stays free in each pool, such as cpu=10%,memory=5%.
    Headroom "headroom" Pool "off",
    /// How soon the savings must have paid for the overlap of old and new nodes.
    Payback "payback" Pool "off",
    /// How long a pool rests after something went wrong.
    CoolDown "cool-down" Pool "30m",
    /// Whether pods without a controller, rollouts and young destinations are judged as Karpenter does.
    PeerRules "peer-rules" Pool "off",
    /// What becomes of moves that only work if pods are packed tightly: flag or drop.
    TightMoves "tight-moves" Cluster "flag",
    /// How moves are searched: global, seed or karpenter.
    Search "search" Cluster "global",
    /// Units of work that a search may spend.
    Effort "effort" Cluster "1000000",
    /// A safety stop for searches.
    Deadline "deadline" Cluster "5s",
    /// Who places evicted pods: least-allocated, most-allocated or best-fit.
    Scheduler "scheduler" Cluster "least-allocated",
    /// What pods would like but do not require: respect or ignore.
    Preferences "preferences" Cluster "respect",
    /// Whether evicted pods are led to the nodes meant for them: none or soft-taints.
    Steering "steering" Cluster "none",
    /// Where instance types and prices come from.
    Catalog "catalog" Cluster "by provider",
    /// What every node costs besides its machine, in dollars per hour.
    NodeFee "node-fee" Cluster "0",
    /// Discount rules, as YAML.
    Discounts "discounts" Cluster "none",
    /// Prices that are older are not used.
    PriceMaxAge "price-max-age" Cluster "168h",
}

/// A name that no setting has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no setting is called {given:?}{}", nearest.map(|name| format!("; did you mean {name}?")).unwrap_or_default())]
pub struct UnknownName {
    /// What was written.
    pub given: String,
    /// The setting that is spelled most like it.
    pub nearest: Option<Name>,
}

impl FromStr for Name {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|name| name.text() == text).ok_or_else(|| {
            let distance = |name: &Self| distance(name.text(), text);
            let nearest = Self::ALL.iter().copied().min_by_key(distance);
            let near = |name: &Self| distance(name) <= 2.max(text.len() / 3);
            UnknownName { given: text.to_owned(), nearest: nearest.filter(near) }
        })
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_misspellings_are_answered() {
        for name in Name::ALL {
            assert_eq!(name.text().parse(), Ok(*name));
            assert!(!name.help().is_empty());
        }
        let wrong = "savings-treshold-cents".parse::<Name>().unwrap_err();
        assert_eq!(wrong.nearest, Some(Name::SavingsThresholdCents));
        let far = "colour".parse::<Name>().unwrap_err();
        assert_eq!(far.to_string(), "no setting is called \"colour\"");
    }
}
