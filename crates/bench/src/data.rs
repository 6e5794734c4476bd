//! Real data, where it is at hand: the GPU cluster trace of Alibaba (openb) and a small cluster of Operate First, placed by the
//! engine and re-checked by the checker. The files are not part of the repository.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use restow_model::{
    Labels, Meta, Node, NodeTerm, Operator, PodShape, Requirement, Resources, Snapshot, Str,
};
use restow_scheduling::checker::Checker;
use restow_scheduling::{Cluster, Destination, Limits, NodeId, Offers, Settings};

use crate::fleet::pod;

/// Lines of a table as fields, without its header; no field of these files is quoted.
fn rows(file: &Path) -> Result<Vec<Vec<String>>, String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let fields = |line: &str| line.split(',').map(str::to_owned).collect();
    Ok(text.lines().skip(1).map(fields).collect())
}

fn number(row: &[String], at: usize) -> i64 {
    row.get(at).and_then(|text| text.parse::<f64>().ok()).unwrap_or_default() as i64
}

/// Places what the folder holds; whether everything that was placed may be where it is.
pub(crate) fn place(folder: &Path) -> Result<(), String> {
    openb(folder)?;
    operate_first(folder)
}

fn node(snapshot: &mut Snapshot, name: &str, amount: Resources, labels: Vec<(Str, Str)>) {
    let name = snapshot.strings.intern(name);
    let host = snapshot.strings.intern("kubernetes.io/hostname");
    let labels = Labels::new(labels.into_iter().chain([(host, name)]).collect());
    let meta = Meta { name, labels, ..Meta::default() };
    let node = Node { meta, capacity: amount.clone(), allocatable: amount, ..Node::default() };
    snapshot.nodes.push(node);
}

/// All pods of the trace, in its order, on all of its nodes.
fn openb(folder: &Path) -> Result<(), String> {
    let mut snapshot = Snapshot::default();
    let [gpu, model, namespace] =
        ["nvidia.com/gpu", "gpu-model", "openb"].map(|text| snapshot.strings.intern(text));
    let gpus = |count: i64| if count > 0 { vec![(gpu, count)] } else { Vec::new() };
    for row in rows(&folder.join("traces/openb-nodes.csv"))? {
        let amount = Resources {
            cpu: number(&row, 1),
            memory: number(&row, 2) << 20,
            pods: 110,
            others: gpus(number(&row, 3)),
            ..Resources::default()
        };
        let own = row.get(4).filter(|own| !own.is_empty());
        let labels = own.map(|own| (model, snapshot.strings.intern(own)));
        node(&mut snapshot, &row[0], amount, labels.into_iter().collect());
    }
    for (at, row) in rows(&folder.join("traces/openb-pods-default.csv"))?.iter().enumerate() {
        let requests = Resources {
            cpu: number(row, 1),
            memory: number(row, 2) << 20,
            pods: 1,
            others: gpus(number(row, 3)),
            ..Resources::default()
        };
        let mut shape = PodShape { requests, ..PodShape::default() };
        if let Some(models) = row.get(5).filter(|models| !models.is_empty()) {
            let models = models.split('|').map(|own| snapshot.strings.intern(own)).collect();
            let wanted = Requirement::compile(model, Operator::In, models, None, None);
            shape.node_affinity = Some(vec![NodeTerm { labels: vec![wanted], names: Vec::new() }]);
        }
        let (shape, name) = (snapshot.shapes.share(shape), snapshot.strings.intern(&row[0]));
        let labels = snapshot.labels.share(Labels::default());
        snapshot.pods.push(pod(namespace, name, at, labels, shape, Str::EMPTY));
    }
    let pods: Vec<usize> = (0..snapshot.pods.len()).collect();
    report("openb, all pods", &snapshot, &pods, &[])
}

/// Every node of the cluster drained in turn.
fn operate_first(folder: &Path) -> Result<(), String> {
    let mut snapshot = Snapshot::default();
    for row in rows(&folder.join("snapshots/operate-first-nodes.csv"))? {
        let amount = Resources {
            cpu: number(&row, 2),
            memory: number(&row, 3) << 20,
            pods: 500,
            ..Resources::default()
        };
        node(&mut snapshot, &row[0], amount, Vec::new());
    }
    let steady = |row: &&Vec<String>| row[6] == "1" && row[5] != "batch";
    let rows = rows(&folder.join("snapshots/operate-first-pods.csv"))?;
    for (at, row) in rows.iter().filter(steady).enumerate() {
        let requests = Resources {
            cpu: number(row, 7),
            memory: number(row, 8) << 20,
            pods: 1,
            ..Resources::default()
        };
        let shape = snapshot.shapes.share(PodShape { requests, ..PodShape::default() });
        let [name, namespace, on] = [0, 2, 1].map(|field| snapshot.strings.intern(&row[field]));
        let labels = snapshot.labels.share(Labels::default());
        snapshot.pods.push(pod(namespace, name, at, labels, shape, on));
    }
    for at in 0..snapshot.nodes.len() {
        let name = format!("{} drained", snapshot.text(snapshot.nodes[at].meta.name));
        report(&name, &snapshot, &[], &[at])?;
    }
    Ok(())
}

fn report(name: &str, snapshot: &Snapshot, pods: &[usize], drain: &[usize]) -> Result<(), String> {
    let mut cluster = Cluster::new(snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
    let nodes: Vec<NodeId> = drain.iter().map(|at| NodeId(*at as u32)).collect();
    let start = Instant::now();
    let answer = cluster.schedule(snapshot, pods, &nodes, Limits::EXISTING);
    let seconds = start.elapsed().as_secs_f64();
    let mut checker = Checker::new(snapshot);
    for node in drain {
        checker.remove_node(*node);
    }
    for placement in &answer.placements {
        let Destination::Node(to) = placement.to else { continue };
        let node = snapshot.nodes.iter().position(|node| node.meta.name == to).unwrap_or_default();
        checker.evict(placement.pod);
        checker.place(placement.pod, node).map_err(|violation| {
            format!("{name}: {}: {violation:?}", snapshot.text(snapshot.pods[placement.pod].name))
        })?;
    }
    let left: usize = answer.unplaced.iter().map(|own| own.pods.len()).sum();
    println!(
        "{name:26} {:>6} nodes, {:>6} pods placed and checked, {left:>5} left, {:.2} ms",
        snapshot.nodes.len(),
        answer.placements.len(),
        seconds * 1e3
    );
    Ok(())
}
