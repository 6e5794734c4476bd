//! How the cluster's scheduler is configured, as far as it decides where pods may run: spread constraints for pods without any of
//! their own.
//!
//! Taken are the scheduler's own file (`KubeSchedulerConfiguration`) and the short one of Karpenter's `--scheduler-config`.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use restow_model::{NodePolicy, Snapshot, Spread, Strings};
use restow_report::units::counted;
use restow_scheduling::spread_by_default;
use serde::Deserialize;

use crate::terminal;

/// The name under which pods find the scheduler unless they say otherwise.
const DEFAULT_SCHEDULER: &str = "default-scheduler";

/// Both files: what is not about spreading is passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Config {
    profiles: Vec<Profile>,
    pod_topology_spread: Option<Arguments>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Profile {
    scheduler_name: Option<String>,
    plugin_config: Vec<Plugin>,
}

#[derive(Debug, Deserialize)]
struct Plugin {
    name: String,
    #[serde(default)]
    args: serde_json::Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Arguments {
    default_constraints: Vec<Constraint>,
    defaulting_type: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Constraint {
    max_skew: i32,
    topology_key: String,
    when_unsatisfiable: String,
    min_domains: Option<i32>,
    node_affinity_policy: Option<String>,
    node_taints_policy: Option<String>,
    label_selector: Option<serde_json::Value>,
    match_label_keys: Option<serde_json::Value>,
}

/// Gives pods the constraints of a file; returns how many constraints there are and how many pods got them.
pub(crate) fn apply(path: &Path, snapshot: &mut Snapshot) -> anyhow::Result<(usize, usize)> {
    let name = path.display();
    let text = std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read"))?;
    let constraints =
        read(&text, &mut snapshot.strings).with_context(|| format!("{name}: not understood"))?;
    Ok((constraints.len(), spread_by_default(snapshot, &constraints)))
}

/// The same, and says so.
pub(crate) fn apply_and_tell(path: &Path, snapshot: &mut Snapshot) -> anyhow::Result<()> {
    let name = path.display();
    let (constraints, pods) = apply(path, snapshot)?;
    if constraints == 0 {
        terminal::note(&format!("{name} has no defaultConstraints; nothing is spread by default"));
        return Ok(());
    }
    terminal::note(&format!(
        "{} of {name}, among the pods of the same services and controller: {}",
        counted(constraints, "default constraint"),
        counted(pods, "pod")
    ));
    Ok(())
}

/// The constraints of the default scheduler.
fn read(text: &str, strings: &mut Strings) -> anyhow::Result<Vec<Spread>> {
    let config: Config = serde_saphyr::from_str(text)?;
    let mut found = config.pod_topology_spread.unwrap_or_default();
    let named = |own: &&Profile| {
        own.scheduler_name.as_deref().unwrap_or(DEFAULT_SCHEDULER) == DEFAULT_SCHEDULER
    };
    let plugins = config.profiles.iter().find(named).map_or(&[][..], |own| &own.plugin_config);
    if let Some(plugin) = plugins.iter().find(|own| own.name == "PodTopologySpread") {
        found = serde_json::from_value(plugin.args.clone())
            .context("the arguments of PodTopologySpread")?;
        if found.defaulting_type.as_deref() != Some("List") {
            ensure!(
                found.default_constraints.is_empty(),
                "defaultConstraints need defaultingType: List, as the scheduler asks for"
            );
        }
    }
    let mut spreads = Vec::new();
    let mut seen: Vec<(String, bool)> = Vec::new();
    for (at, own) in found.default_constraints.into_iter().enumerate() {
        let same = (own.topology_key.clone(), own.when_unsatisfiable == "DoNotSchedule");
        let spread = own.build(strings).with_context(|| format!("defaultConstraints[{at}]"))?;
        ensure!(
            !seen.contains(&same),
            "defaultConstraints[{at}]: {} comes twice with the same whenUnsatisfiable",
            same.0
        );
        seen.push(same);
        spreads.push(spread);
    }
    Ok(spreads)
}

impl Constraint {
    fn build(self, strings: &mut Strings) -> anyhow::Result<Spread> {
        ensure!(self.max_skew > 0, "maxSkew: expected more than 0, got {}", self.max_skew);
        ensure!(!self.topology_key.is_empty(), "topologyKey: expected the key of a label");
        ensure!(
            self.label_selector.is_none(),
            "labelSelector: not allowed here, it is deduced for each pod"
        );
        ensure!(self.match_label_keys.is_none(), "matchLabelKeys: not allowed here");
        if let Some(least) = self.min_domains {
            ensure!(least > 0, "minDomains: expected more than 0, got {least}");
        }
        Ok(Spread {
            topology_key: strings.intern(&self.topology_key),
            max_skew: self.max_skew,
            required: match self.when_unsatisfiable.as_str() {
                "DoNotSchedule" => true,
                "ScheduleAnyway" => false,
                other => {
                    bail!(
                        "whenUnsatisfiable: expected DoNotSchedule or ScheduleAnyway, got {other:?}"
                    )
                }
            },
            selector: None,
            min_domains: self.min_domains,
            affinity_policy: policy(self.node_affinity_policy.as_deref(), NodePolicy::Honor)
                .context("nodeAffinityPolicy")?,
            taints_policy: policy(self.node_taints_policy.as_deref(), NodePolicy::Ignore)
                .context("nodeTaintsPolicy")?,
            match_label_keys: Vec::new(),
        })
    }
}

fn policy(text: Option<&str>, otherwise: NodePolicy) -> anyhow::Result<NodePolicy> {
    Ok(match text {
        None => otherwise,
        Some("Honor") => NodePolicy::Honor,
        Some("Ignore") => NodePolicy::Ignore,
        Some(other) => bail!("expected Honor or Ignore, got {other:?}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KUBERNETES: &str = "
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
leaderElection: { leaderElect: true }
profiles:
  - schedulerName: other
    pluginConfig: [{ name: PodTopologySpread, args: { defaultingType: List, defaultConstraints: [{ maxSkew: 9, topologyKey: x, whenUnsatisfiable: DoNotSchedule }] } }]
  - pluginConfig:
      - name: NodeResourcesFit
        args: { scoringStrategy: { type: MostAllocated } }
      - name: PodTopologySpread
        args:
          defaultingType: List
          defaultConstraints:
            - { maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule, minDomains: 3 }
            - { maxSkew: 5, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, nodeTaintsPolicy: Honor }
";

    #[test]
    fn the_file_of_the_scheduler_is_read() {
        let mut strings = Strings::default();
        let found = read(KUBERNETES, &mut strings).expect("it is valid");
        let numbers: Vec<_> = found
            .iter()
            .map(|own| {
                (strings.text(own.topology_key), own.max_skew, own.required, own.min_domains)
            })
            .collect();
        let expected = [
            ("topology.kubernetes.io/zone", 2, true, Some(3)),
            ("kubernetes.io/hostname", 5, false, None),
        ];
        assert_eq!(numbers, expected);
        assert_eq!(found[1].taints_policy, NodePolicy::Honor);
        assert_eq!(found[0].affinity_policy, NodePolicy::Honor);
    }

    #[test]
    fn so_is_the_short_one() {
        let text = "podTopologySpread: { defaultConstraints: [{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule }] }";
        assert_eq!(read(text, &mut Strings::default()).expect("it is valid").len(), 1);
        assert_eq!(read("profiles: []", &mut Strings::default()).expect("it is valid").len(), 0);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let one = "maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule";
        for (text, expected) in [
            (
                "{ maxSkew: 0, topologyKey: zone, whenUnsatisfiable: DoNotSchedule }".to_owned(),
                "maxSkew: expected more than 0, got 0",
            ),
            (
                "{ maxSkew: 1, topologyKey: '', whenUnsatisfiable: DoNotSchedule }".to_owned(),
                "topologyKey",
            ),
            (
                "{ maxSkew: 1, topologyKey: zone, whenUnsatisfiable: Never }".to_owned(),
                "got \"Never\"",
            ),
            (format!("{{ {one}, labelSelector: {{}} }}"), "labelSelector: not allowed here"),
            (format!("{{ {one}, matchLabelKeys: [a] }}"), "matchLabelKeys: not allowed here"),
            (format!("{{ {one}, minDomains: 0 }}"), "minDomains: expected more than 0, got 0"),
            (format!("{{ {one}, nodeTaintsPolicy: honour }}"), "nodeTaintsPolicy"),
            (format!("{{ {one} }}, {{ {one} }}"), "zone comes twice"),
            (format!("{{ {one}, maxSkw: 2 }}"), "maxSkw"),
        ] {
            let text = format!("podTopologySpread: {{ defaultConstraints: [{text}] }}");
            let error = read(&text, &mut Strings::default()).expect_err(&text);
            let said = format!("{error:#}");
            assert!(said.contains(expected), "{text}: {said}");
        }
        let system = KUBERNETES.replace("defaultingType: List", "defaultingType: System");
        let error = read(&system, &mut Strings::default()).expect_err("System has its own");
        assert!(format!("{error:#}").contains("defaultingType: List"), "{error:#}");
    }
}
