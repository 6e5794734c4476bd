//! `--feasible`: each pod by itself, against every node.

use std::io::Write;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

use restow_model::Snapshot;
use restow_report::{FeasibilityDocument, PodFeasibility, feasibility_view, nodes_by_name};
use restow_scheduling::{Cluster, Offers, Settings};

use super::workloads::or_nearest;
use crate::show::{Format, ShowArgs};
use crate::{output, terminal};

/// Which pods are asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    Pending,
    All,
    One { namespace: String, name: String },
}

impl FromStr for Which {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.split_once('/')) {
            ("pending", _) => Ok(Self::Pending),
            ("all", _) => Ok(Self::All),
            (_, Some((namespace, name)))
                if !namespace.is_empty() && !name.is_empty() && !name.contains('/') =>
            {
                Ok(Self::One { namespace: namespace.to_owned(), name: name.to_owned() })
            }
            _ => Err("expected pending, all or NAMESPACE/NAME".to_owned()),
        }
    }
}

impl Which {
    /// Their places in the snapshot, by namespace and name.
    fn pods(&self, snapshot: &Snapshot) -> anyhow::Result<Vec<usize>> {
        let alive = snapshot.pods.iter().enumerate().filter(|(_, pod)| !pod.is_finished());
        let mut found: Vec<usize> = match self {
            Self::All => alive.map(|(at, _)| at).collect(),
            Self::Pending => alive.filter(|(_, pod)| !pod.is_bound()).map(|(at, _)| at).collect(),
            Self::One { namespace, name } => vec![one(snapshot, namespace, name)?],
        };
        found.sort_by_key(|at| {
            let pod = &snapshot.pods[*at];
            (snapshot.text(pod.namespace), snapshot.text(pod.name))
        });
        Ok(found)
    }
}

fn one(snapshot: &Snapshot, namespace: &str, name: &str) -> anyhow::Result<usize> {
    let found = snapshot.pods.iter().position(|pod| {
        snapshot.text(pod.namespace) == namespace && snapshot.text(pod.name) == name
    });
    let Some(at) = found else {
        let names: Vec<String> = snapshot
            .pods
            .iter()
            .map(|pod| format!("{}/{}", snapshot.text(pod.namespace), snapshot.text(pod.name)))
            .collect();
        let wanted = format!("{namespace}/{name}");
        anyhow::bail!("no pod {wanted}{}", or_nearest(&wanted, names.iter().map(String::as_str)));
    };
    anyhow::ensure!(
        !snapshot.pods[at].is_finished(),
        "{namespace}/{name} has ended: it needs no node any more"
    );
    Ok(at)
}

pub(super) fn run(snapshot: &Snapshot, which: &Which, show: &ShowArgs) -> anyhow::Result<ExitCode> {
    let pods = which.pods(snapshot)?;
    let mut cluster = Cluster::new(snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
    let order = nodes_by_name(snapshot);
    let nothing = pods.is_empty();
    let answers = pods
        .into_iter()
        .map(|pod| PodFeasibility::new(snapshot, &order, pod, cluster.feasibility(snapshot, pod)));
    match show.output {
        Format::Table | Format::Wide if nothing => {
            let what = if *which == Which::Pending { "Nothing is pending." } else { "No pods." };
            terminal::print(what)?;
        }
        Format::Table | Format::Wide => {
            terminal::print(&feasibility_view(answers, &show.view()))?;
        }
        Format::Yaml => terminal::print(&output::yaml(&FeasibilityDocument::new(answers))?)?,
        Format::Json => {
            // Every pod times every node: written as it is computed, never held.
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            serde_json::to_writer_pretty(&mut out, &FeasibilityDocument::new(answers))
                .map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
            out.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_named_by_a_word_or_by_namespace_and_name() {
        let one = Which::One { namespace: "web".to_owned(), name: "api".to_owned() };
        assert_eq!("all".parse(), Ok(Which::All));
        assert_eq!("pending".parse(), Ok(Which::Pending));
        assert_eq!("web/api".parse(), Ok(one));
        for text in ["", "api", "/api", "web/", "a/b/c"] {
            assert!(text.parse::<Which>().is_err(), "{text}");
        }
    }
}
