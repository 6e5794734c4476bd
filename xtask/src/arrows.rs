//! The arrows between the crates, and what pure crates may reach.
//!
//! The layers are worth something only while nothing leaks: one `tokio` below the controller and
//! the same plan is no longer the same bytes. The rules are data in `xtask/arrows.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::args::Args;
use crate::bans;
use crate::graph::{Graph, Kind, Source};

pub(crate) const HELP: &str = "
Reads `cargo metadata` and holds it against xtask/arrows.toml: which of our crates may use which,
which crates from outside a pure crate may name, and what must not be reached by whatever path.
Also checks that every crate takes the workspace's lints and that the clippy.toml files are what
the table of bans in xtask/src/bans.rs makes of them; --write writes those files.
";

const RULES: &str = include_str!("../arrows.toml");

/// `xtask/arrows.toml`; the file explains the fields.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rules {
    crates: BTreeMap<String, Crate>,
    pure: Pure,
    only: BTreeMap<String, Only>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Crate {
    uses: BTreeSet<String>,
    #[serde(default)]
    pure: bool,
    #[serde(default)]
    external: BTreeSet<String>,
    #[serde(default)]
    dev_only: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pure {
    external: BTreeSet<String>,
    never: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Only {
    r#in: BTreeSet<String>,
    why: String,
}

impl Rules {
    /// The rules of this repository.
    pub(crate) fn load() -> Result<Self> {
        Self::parse(RULES)
    }

    fn parse(text: &str) -> Result<Self> {
        let rules: Self = toml::from_str(text).context("xtask/arrows.toml cannot be read")?;
        let broken = rules.contradictions();
        if !broken.is_empty() {
            bail!("xtask/arrows.toml contradicts itself:\n  {}", broken.join("\n  "));
        }
        Ok(rules)
    }

    /// Whether a package is one of the pure crates.
    pub(crate) fn is_pure(&self, name: &str) -> bool {
        self.crates.get(name).is_some_and(|rule| rule.pure)
    }

    /// Rules that no workspace could keep, or that would let through what they forbid.
    fn contradictions(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (name, rule) in &self.crates {
            for used in &rule.uses {
                match self.crates.get(used) {
                    None => found.push(format!("{name} uses {used}, which is not listed")),
                    Some(other) if other.dev_only && !rule.dev_only => {
                        found.push(format!("{name} uses {used}, which is dev-only"));
                    }
                    Some(other) if rule.pure && !other.pure => {
                        found.push(format!("{name} is pure but uses {used}, which is not"));
                    }
                    Some(_) => {}
                }
            }
        }
        // Layers: every crate must be placeable above all that it uses.
        let mut placed: BTreeSet<&str> = BTreeSet::new();
        loop {
            let before = placed.len();
            for (name, rule) in &self.crates {
                if rule.uses.iter().all(|used| placed.contains(used.as_str())) {
                    placed.insert(name);
                }
            }
            if placed.len() == before {
                break;
            }
        }
        for name in self.crates.keys().filter(|name| !placed.contains(name.as_str())) {
            if found.is_empty() {
                found.push(format!("{name} is part of a cycle, or uses one"));
            }
        }
        found
    }
}

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let write = args.flag("--write");
    args.finish()?;
    let rules = Rules::load()?;
    let graph = Graph::load("Cargo.toml")?;
    let mut found = violations(&rules, &graph);
    let crates = members()?;
    found.extend(lints_not_taken(&crates)?);
    for (dir, name) in &crates {
        found.extend(bans::check_file(dir, rules.is_pure(name), write)?);
    }
    found.extend(bans::check_file(".", false, write)?);
    if !found.is_empty() {
        bail!("the arrows do not hold:\n  {}", found.join("\n  "));
    }
    println!(
        "{} crates of ours and {} from outside keep to xtask/arrows.toml.",
        graph.ours().count(),
        graph.packages.len() - graph.ours().count()
    );
    Ok(())
}

/// Everything in `graph` that `rules` forbid, each with the path that shows it.
fn violations(rules: &Rules, graph: &Graph) -> Vec<String> {
    let mut found = Vec::new();
    for (at, package) in graph.ours() {
        let name = &package.name;
        let Some(rule) = rules.crates.get(name) else {
            found.push(format!(
                "{name} is not in xtask/arrows.toml: list it there with what it may use"
            ));
            continue;
        };
        for &(to, kind) in &package.edges {
            let other = &graph.packages[to];
            let step = format!("{name} → {}", other.name);
            if other.source == Source::Ours {
                let dev_only = rules.crates.get(&other.name).is_some_and(|rule| rule.dev_only);
                if kind == Kind::Dev {
                    if !dev_only && !rule.uses.contains(&other.name) && other.name != *name {
                        found.push(format!("{step}: not allowed, not even for tests"));
                    }
                } else if dev_only && !rule.dev_only {
                    found.push(format!("{step}: only allowed as a dev-dependency"));
                } else if !rule.uses.contains(&other.name) {
                    found.push(format!("{step}: this arrow is not allowed"));
                }
            } else if rule.pure
                && kind != Kind::Dev
                && !rules.pure.external.contains(&other.name)
                && !rule.external.contains(&other.name)
            {
                found.push(format!("{step}: a pure crate may not name this one"));
            }
        }
        for way in graph.reached(at) {
            let end = way.last().copied().unwrap_or_default();
            let shown = way.join(" → ");
            if rule.pure
                && let Some(why) = rules.pure.never.get(end)
            {
                found.push(format!("{shown}: never in a pure crate ({why})"));
            }
            if let Some(only) = rules.only.get(end)
                && !only.r#in.contains(name)
            {
                let allowed: Vec<&str> = only.r#in.iter().map(String::as_str).collect();
                found.push(format!("{shown}: only in {} ({})", allowed.join(", "), only.why));
            }
        }
    }
    found
}

/// Directory and package name of every member, from the manifests alone.
fn members() -> Result<Vec<(String, String)>> {
    let mut dirs = vec!["xtask".to_owned()];
    for entry in fs::read_dir("crates").context("there is no directory `crates`")? {
        let dir = entry?.path();
        if dir.join("Cargo.toml").is_file() {
            dirs.push(dir.to_string_lossy().into_owned());
        }
    }
    dirs.sort();
    dirs.into_iter()
        .map(|dir| {
            let manifest = manifest(&dir)?;
            let name = manifest.get("package").and_then(|package| package.get("name")?.as_str());
            let name = name.with_context(|| format!("{dir}/Cargo.toml names no package"))?;
            let name = name.to_owned();
            Ok((dir, name))
        })
        .collect()
}

fn manifest(dir: &str) -> Result<toml::Table> {
    let file = format!("{dir}/Cargo.toml");
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    text.parse().with_context(|| format!("{file} is not TOML"))
}

/// A crate that forgets `[lints] workspace = true` is checked by nothing.
fn lints_not_taken(crates: &[(String, String)]) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for (dir, name) in crates {
        let manifest = manifest(dir)?;
        let taken = manifest.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
        if taken != Some(true) {
            found.push(format!("{name}: {dir}/Cargo.toml lacks `[lints] workspace = true`"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::made_up::graph;

    fn found(text: &str) -> Vec<String> {
        violations(&Rules::load().unwrap(), &graph(text))
    }

    #[track_caller]
    fn refused(text: &str, message: &str) {
        let found = found(text);
        assert!(found.iter().any(|line| line.contains(message)), "{message:?} not in {found:#?}");
    }

    #[test]
    fn the_rules_of_this_repository_agree_with_themselves() {
        Rules::load().unwrap();
    }

    #[test]
    fn what_the_design_draws_is_allowed() {
        let found = found(
            "restow -> restow-controller, restow-report, restow-catalog, anyhow, tokio, mimalloc
             restow-controller -> restow-kubernetes, restow-model, kube, k8s-openapi, tokio
             restow-kubernetes -> restow-model, memchr
             restow-report -> restow-model, restow-catalog
             restow-catalog -> restow-model, csv, flate2, ~restow-testkit
             restow-model -> serde, jiff, ~proptest, ~restow-testkit
             restow-testkit -> restow-model, rand
             kube -> tokio, k8s-openapi
             rand -> getrandom
             proptest -> rand
             xtask -> anyhow",
        );
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn an_arrow_that_is_not_drawn_is_refused() {
        refused("restow-model -> restow-catalog", "restow-model → restow-catalog: this arrow");
        refused("restow-kubernetes -> restow-catalog", "this arrow is not allowed");
        refused("restow-report -> restow-kubernetes", "this arrow is not allowed");
        refused("restow-scheduling -> restow-consolidation", "this arrow is not allowed");
        refused("restow-simulator -> restow-controller", "this arrow is not allowed");
        refused("xtask -> restow-controller", "this arrow is not allowed");
    }

    #[test]
    fn a_build_dependency_is_an_arrow_too() {
        refused("restow-model -> !restow-catalog", "restow-model → restow-catalog: this arrow");
        refused("restow-model -> !cc", "restow-model → cc: a pure crate may not name");
    }

    #[test]
    fn tests_may_not_turn_an_arrow_round() {
        refused("restow-model -> ~restow-kubernetes", "not even for tests");
    }

    #[test]
    fn the_testkit_is_for_tests_only() {
        refused("restow -> restow-testkit", "restow → restow-testkit: only allowed as a dev-");
        refused("restow-report -> !restow-testkit", "only allowed as a dev-dependency");
    }

    #[test]
    fn a_crate_that_nobody_decided_about_is_refused() {
        refused("restow-extras -> serde", "restow-extras is not in xtask/arrows.toml");
    }

    #[test]
    fn a_pure_crate_may_name_only_what_is_listed() {
        refused("restow-model -> regex", "restow-model → regex: a pure crate may not name");
        refused("restow-model -> csv", "restow-model → csv: a pure crate may not name");
        assert_eq!(found("restow-catalog -> csv"), Vec::<String>::new());
    }

    #[test]
    fn a_pure_crate_may_not_reach_what_is_banned_by_any_path() {
        refused(
            "restow-scheduling -> restow-catalog
             restow-catalog -> csv
             csv -> helper
             helper -> getrandom",
            "restow-scheduling → restow-catalog → csv → helper → getrandom: never in a pure",
        );
        for name in Rules::load().unwrap().pure.never.keys() {
            for pure in ["model", "catalog", "scheduling", "bounds", "consolidation", "execution"] {
                refused(
                    &format!("restow-{pure} -> serde\n serde -> {name}"),
                    &format!("restow-{pure} → serde → {name}: never in a pure crate"),
                );
            }
        }
    }

    #[test]
    fn what_stops_at_a_layer_is_not_reached_below_it() {
        refused("restow-kubernetes -> kube\n kube -> tokio", "restow-kubernetes → kube → tokio");
        refused("restow-report -> x\n x -> k8s-openapi", "restow-report → x → k8s-openapi: only");
        refused("restow-simulator -> tokio", "restow-simulator → tokio: only in");
        refused("restow-kubernetes -> anyhow", "only programs may lump errors together");
        refused("restow-controller -> mimalloc", "libraries never choose the allocator");
    }

    #[test]
    fn rules_that_contradict_themselves_are_refused() {
        let rules = |crates: &str| {
            let text = format!("{crates}\n[pure]\nexternal = []\n[pure.never]\n[only]\n");
            Rules::parse(&text).unwrap_err().to_string()
        };
        assert!(rules("[crates.a]\nuses = ['b']").contains("b, which is not listed"));
        assert!(
            rules("[crates.a]\nuses = ['b']\n[crates.b]\nuses = ['a']").contains("part of a cycle")
        );
        assert!(
            rules("[crates.a]\npure = true\nuses = ['b']\n[crates.b]\nuses = []")
                .contains("is pure but uses b")
        );
        assert!(
            rules("[crates.a]\nuses = ['b']\n[crates.b]\ndev-only = true\nuses = []")
                .contains("which is dev-only")
        );
    }
}
