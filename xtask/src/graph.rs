//! The dependency graph, reduced to what the rules ask of it, so that tests can make one up.

use std::collections::{BTreeMap, VecDeque};

use anyhow::{Context, Result};
use cargo_metadata::{CargoOpt, DependencyKind, MetadataCommand};

use crate::shell;

/// Why one package depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Normal,
    Build,
    Dev,
}

/// Where a package comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A member of our workspace.
    Ours,
    CratesIo,
    /// Anything else, in cargo's words.
    Other(String),
}

/// One package of the graph.
#[derive(Clone, Debug)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) licence: Option<String>,
    pub(crate) source: Source,
    /// Positions in the graph of what it depends on.
    pub(crate) edges: Vec<(usize, Kind)>,
}

/// All packages that a workspace is built from on one platform.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) packages: Vec<Package>,
}

impl Graph {
    /// The graph of the workspace at `manifest` for the machine that we run on.
    ///
    /// All features of our crates are on, so that an arrow cannot hide behind one.
    pub(crate) fn load(manifest: &str) -> Result<Self> {
        let metadata = MetadataCommand::new()
            .manifest_path(manifest)
            .features(CargoOpt::AllFeatures)
            .other_options(vec!["--filter-platform".into(), shell::rustc("host")?])
            .exec()
            .with_context(|| format!("cannot read the dependencies of {manifest}"))?;
        let resolve = metadata.resolve.context("cargo metadata did not resolve")?;
        // Ids order by name and version, so that messages come in the same order every time.
        let mut nodes = resolve.nodes;
        nodes.sort_by(|a, b| a.id.cmp(&b.id));
        let position: BTreeMap<_, _> =
            nodes.iter().enumerate().map(|(at, node)| (node.id.clone(), at)).collect();
        let by_id: BTreeMap<_, _> = metadata.packages.iter().map(|p| (&p.id, p)).collect();

        let mut packages = Vec::with_capacity(nodes.len());
        for node in &nodes {
            let package = by_id.get(&node.id).context("a resolved package has no manifest")?;
            let source = match &package.source {
                _ if metadata.workspace_members.contains(&node.id) => Source::Ours,
                Some(source) if source.is_crates_io() => Source::CratesIo,
                Some(source) => Source::Other(source.to_string()),
                None => Source::Other("a path outside the workspace".into()),
            };
            let mut edges = Vec::new();
            for dep in &node.deps {
                let to = *position.get(&dep.pkg).context("an edge leads out of the graph")?;
                for kind in &dep.dep_kinds {
                    edges.push((
                        to,
                        match kind.kind {
                            DependencyKind::Build => Kind::Build,
                            DependencyKind::Development => Kind::Dev,
                            _ => Kind::Normal,
                        },
                    ));
                }
            }
            packages.push(Package {
                name: package.name.to_string(),
                version: package.version.to_string(),
                licence: package.license.clone(),
                source,
                edges,
            });
        }
        Ok(Self { packages })
    }

    /// Our own packages with their positions.
    pub(crate) fn ours(&self) -> impl Iterator<Item = (usize, &Package)> {
        self.packages.iter().enumerate().filter(|(_, package)| package.source == Source::Ours)
    }

    /// The shortest way over normal dependencies from `from` to each package that it reaches.
    pub(crate) fn reached(&self, from: usize) -> Vec<Vec<&str>> {
        let mut previous: BTreeMap<usize, usize> = BTreeMap::new();
        let mut order = Vec::new();
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for &(to, kind) in &self.packages[at].edges {
                if kind == Kind::Normal && to != from && !previous.contains_key(&to) {
                    previous.insert(to, at);
                    order.push(to);
                    queue.push_back(to);
                }
            }
        }
        let name = |at: usize| self.packages[at].name.as_str();
        order
            .into_iter()
            .map(|end| {
                let mut path = vec![name(end)];
                let mut at = end;
                while let Some(&before) = previous.get(&at) {
                    path.push(name(before));
                    at = before;
                }
                path.reverse();
                path
            })
            .collect()
    }
}

#[cfg(test)]
pub(crate) mod made_up {
    //! Graphs for tests, written as one line per package: `name -> normal, ~dev, !build`.

    use super::{Graph, Kind, Package, Source};

    /// Our crates are those that start with `restow` or are `xtask`; the rest is from the public registry.
    pub(crate) fn graph(text: &str) -> Graph {
        let mut graph = Graph::default();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (name, deps) = line.split_once("->").unwrap_or((line, ""));
            let from = position(&mut graph, name.trim());
            for dep in deps.split(',').map(str::trim).filter(|dep| !dep.is_empty()) {
                let (kind, dep) = match dep.split_at(1) {
                    ("~", dep) => (Kind::Dev, dep),
                    ("!", dep) => (Kind::Build, dep),
                    _ => (Kind::Normal, dep),
                };
                let to = position(&mut graph, dep);
                graph.packages[from].edges.push((to, kind));
            }
        }
        graph
    }

    fn position(graph: &mut Graph, name: &str) -> usize {
        if let Some(at) = graph.packages.iter().position(|package| package.name == name) {
            return at;
        }
        let ours = name == "xtask" || name.starts_with("restow");
        graph.packages.push(Package {
            name: name.to_owned(),
            version: "1.0.0".into(),
            licence: Some("MIT".into()),
            source: if ours { Source::Ours } else { Source::CratesIo },
            edges: Vec::new(),
        });
        graph.packages.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::graph;

    #[test]
    fn the_way_is_the_shortest_and_skips_dev_and_build_dependencies() {
        let graph = graph(
            "restow -> a, ~x, !y
             a -> b
             b -> c, d
             restow -> c
             x -> z",
        );
        let ways: Vec<String> = graph.reached(0).iter().map(|way| way.join(" ")).collect();
        assert_eq!(ways, ["restow a", "restow c", "restow a b", "restow a b d"]);
    }

    #[test]
    fn a_cycle_ends() {
        let graph = graph("restow -> a\n a -> b\n b -> a, restow");
        assert_eq!(graph.reached(0).len(), 2);
    }
}
