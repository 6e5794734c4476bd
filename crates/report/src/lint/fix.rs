//! What to paste: commands for the very object, and what nobody can know without its owner in comments.

use restow_consolidation::lint::{Finding, Object, Problem};
use restow_consolidation::{Fleet, Reason};
use restow_model::Str;
use serde_json::{Value, json};

use super::pool_fix;
use crate::explain::shell_word;
use crate::reason::fix_of;

const MARK: &str = "karpenter.sh/do-not-disrupt";
const OLD_MARK: &str = "karpenter.sh/do-not-evict";

/// Commands, one on a line.
pub(super) fn fix(fleet: &Fleet<'_>, finding: &Finding) -> String {
    match &finding.problem {
        Problem::Blocks(reason) => blocker(fleet, finding, reason),
        Problem::PdbNeverAllows { .. } => pdb(fleet, finding.object, &one_may_go(fleet, finding)),
        Problem::PdbHeldByUnhealthy { .. } => pdb(
            fleet,
            finding.object,
            &json!({"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}}),
        ),
        Problem::PdbSelectsNothing => {
            let (namespace, name) = names(fleet, finding.object);
            format!("# correct its selector, or\nkubectl delete pdb -n {namespace} {name}")
        }
        Problem::PdbsOverlap { .. } => overlapping(fleet, finding.object),
        Problem::UselessMark { .. } => useless_mark(fleet, finding.object),
        Problem::NoPrice { .. } => no_price(fleet, &finding.nodes),
        Problem::BudgetsNeverAllow
        | Problem::BudgetUnreadable { .. }
        | Problem::BudgetNeverComes { .. }
        | Problem::BudgetForNothing
        | Problem::BudgetsUnlimited
        | Problem::BudgetGaps
        | Problem::InvalidSetting(_)
        | Problem::DaemonsDominate { .. }
        | Problem::GraceIgnored
        | Problem::QuietLongerThanLife { .. } => match finding.object {
            Object::Pool(at) => pool_fix::fix(fleet, at, &finding.problem),
            _ => String::new(),
        },
    }
}

/// A comment that says what can be done where no command can do it.
fn advice(code: &str) -> String {
    format!("# {}", fix_of(code))
}

fn blocker(fleet: &Fleet<'_>, finding: &Finding, reason: &Reason) -> String {
    match (reason, finding.object) {
        (Reason::PdbBlocks { .. }, Object::Pdb(at)) => {
            let own = &fleet.snapshot.pod_disruption_budgets[at];
            if own.min_available.is_some() {
                pdb(fleet, finding.object, &one_may_go(fleet, finding))
            } else {
                advice(reason.code())
            }
        }
        (Reason::DoNotDisruptPod { pod, .. }, object) => marked(fleet, object, *pod),
        (Reason::MultiplePdbs { pod, .. }, _) => keep_one(fleet, *pod),
        (Reason::PodWithoutOwner { pod, .. }, _) => {
            let (namespace, name) = of_pod(fleet, *pod);
            format!(
                "# nobody makes it anew: let a Deployment or Job run it, then\n\
                 kubectl delete pod -n {namespace} {name}"
            )
        }
        (Reason::RolloutInProgress { .. }, Object::Workload(id)) => {
            let own = &fleet.workloads[id.index()];
            let kind = fleet.snapshot.text(own.kind).to_ascii_lowercase();
            let (namespace, name) = names(fleet, finding.object);
            format!(
                "kubectl rollout status -n {namespace} {kind}/{name}\n\
                 # if it is stuck: kubectl rollout undo -n {namespace} {kind}/{name}"
            )
        }
        (Reason::DoNotDisruptNode { annotation, on_claim }, Object::Node(at)) => {
            let node = &fleet.nodes[at];
            let claim = node.claim.filter(|_| *on_claim);
            let (kind, name) = match claim {
                Some(claim) => ("nodeclaim", fleet.snapshot.node_claims[claim].meta.name),
                None => ("node", node.name),
            };
            format!("kubectl annotate {kind} {} {annotation}-", fleet.snapshot.text(name))
        }
        (_, Object::Pool(at)) => pool_fix::blocker(fleet, at, reason, &finding.nodes)
            .unwrap_or_else(|| advice(reason.code())),
        _ => advice(reason.code()),
    }
}

fn names<'a>(fleet: &Fleet<'a>, object: Object) -> (&'a str, &'a str) {
    let (namespace, name) = restow_consolidation::lint::object_name(fleet, object);
    (fleet.snapshot.text(namespace), fleet.snapshot.text(name))
}

fn of_pod<'a>(fleet: &Fleet<'a>, pod: usize) -> (&'a str, &'a str) {
    names(fleet, Object::Pod(pod))
}

fn pdb(fleet: &Fleet<'_>, object: Object, patch: &Value) -> String {
    let (namespace, name) = names(fleet, object);
    let patch = shell_word(&patch.to_string());
    format!("kubectl patch pdb -n {namespace} {name} --type merge -p {patch}")
}

/// The budget turned into one that lets a single pod go, whatever it says now.
fn one_may_go(fleet: &Fleet<'_>, finding: &Finding) -> Value {
    let least = match finding.object {
        Object::Pdb(at) => fleet.snapshot.pod_disruption_budgets[at].min_available,
        _ => None,
    };
    match least {
        Some(_) => json!({"spec": {"minAvailable": null, "maxUnavailable": 1}}),
        None => json!({"spec": {"maxUnavailable": 1}}),
    }
}

/// The pods of a workload, or the pod itself.
fn pods_of(fleet: &Fleet<'_>, object: Object) -> impl Iterator<Item = usize> {
    (0..fleet.snapshot.pods.len()).filter(move |pod| match object {
        Object::Workload(id) => fleet.pod_workloads[*pod] == Some(id),
        Object::Pod(own) => own == *pod,
        _ => false,
    })
}

fn overlapping(fleet: &Fleet<'_>, object: Object) -> String {
    let pod = pods_of(fleet, object).find(|pod| fleet.pod_pdbs[*pod].len() > 1);
    pod.map_or_else(|| advice("MultiplePdbs"), |pod| keep_one(fleet, pod))
}

/// Deletes all disruption budgets of a pod but the first.
fn keep_one(fleet: &Fleet<'_>, pod: usize) -> String {
    let budgets = &fleet.pod_pdbs[pod];
    let name = |at: usize| fleet.snapshot.text(fleet.pdbs[budgets[at].index()].name);
    let Some(_) = budgets.first() else { return advice("MultiplePdbs") };
    let others: Vec<&str> = (1..budgets.len()).map(name).collect();
    format!(
        "# keeps {}; any of them will do\nkubectl delete pdb -n {} {}",
        name(0),
        of_pod(fleet, pod).0,
        others.join(" ")
    )
}

/// Removes a mark from pods that run and from the template that makes new ones.
fn marked(fleet: &Fleet<'_>, object: Object, pod: usize) -> String {
    let annotations = &fleet.snapshot.labels[fleet.pod(pod).annotations];
    let old = annotations.text(OLD_MARK, &fleet.snapshot.strings) == Some("true");
    unmark(fleet, object, pod, if old { OLD_MARK } else { MARK })
}

fn unmark(fleet: &Fleet<'_>, object: Object, pod: usize, mark: &str) -> String {
    let (namespace, name) = of_pod(fleet, pod);
    let running = format!("kubectl annotate pod -n {namespace} {name} {mark}-");
    let Object::Workload(id) = object else { return running };
    let own = &fleet.workloads[id.index()];
    let text = |name: Str| fleet.snapshot.text(name);
    let key = fleet.snapshot.strings.get(mark);
    let marked = |pod: &usize| {
        let own = fleet.pod(*pod);
        let annotations = &fleet.snapshot.labels[own.annotations];
        !own.is_finished() && key.is_some_and(|key| annotations.get(key).is_some())
    };
    let pods: Vec<&str> =
        pods_of(fleet, object).filter(marked).map(|pod| text(fleet.pod(pod).name)).collect();
    let running = if pods.is_empty() {
        running
    } else {
        format!("kubectl annotate pod -n {namespace} {} {mark}-", pods.join(" "))
    };
    let path = match text(own.kind) {
        "Deployment" | "StatefulSet" | "ReplicaSet" | "ReplicationController" => {
            json!({"spec": {"template": {"metadata": {"annotations": {mark: null}}}}})
        }
        // The template of a Job cannot be changed: the next one has to be made without.
        _ => return running,
    };
    let (kind, owner) = (text(own.kind).to_ascii_lowercase(), text(own.name));
    format!(
        "{running}\nkubectl patch {kind} -n {namespace} {owner} --type merge -p {}",
        shell_word(&path.to_string())
    )
}

fn useless_mark(fleet: &Fleet<'_>, object: Object) -> String {
    if let Object::Node(_) = object {
        let name = names(fleet, object).1;
        return format!(
            "kubectl annotate node {name} {MARK}-\n\
             # or protect it: kubectl annotate node {name} --overwrite {MARK}=true"
        );
    }
    let strings = &fleet.snapshot.strings;
    let marked = |pod: &usize| {
        fleet.snapshot.labels[fleet.pod(*pod).annotations].text(MARK, strings).is_some()
    };
    let Some(pod) = pods_of(fleet, object).find(marked) else { return String::new() };
    let (namespace, name) = of_pod(fleet, pod);
    format!(
        "{}\n# or protect it: kubectl annotate pod -n {namespace} {name} --overwrite {MARK}=true",
        unmark(fleet, object, pod, MARK)
    )
}

/// A price for each type that has none.
fn no_price(fleet: &Fleet<'_>, nodes: &[usize]) -> String {
    let text = |name: Option<Str>| name.map(|name| fleet.snapshot.text(name).to_owned());
    let mut types: Vec<String> =
        nodes.iter().filter_map(|at| text(fleet.nodes[*at].instance_type)).collect();
    types.sort();
    types.dedup();
    let prices: Vec<String> = types.iter().map(|own| format!("--price {own}=DOLLARS")).collect();
    let all = if prices.is_empty() { String::new() } else { format!(" {}", prices.join(" ")) };
    format!("# name a --catalog that knows them, or say what they cost:\nrestow lint{all}")
}
