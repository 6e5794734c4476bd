//! The real servers, built from the modules of `e2e/`, and the tests that run restow on them.
//!
//! Nothing of theirs is in the repository: programs are compiled from the module cache, and CRDs, stages and instance types are
//! copied from it. Flags and versions are those of the oracles, so that one build cache serves both.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::args::Args;
use crate::oracle;
use crate::shell::{Cmd, target_dir};

pub(crate) const HELP: &str = "
Builds etcd, Kubernetes, KWOK and Karpenter (e2e/) and restow, and runs the tests of crates/e2e one after
another, each on servers of its own. The first build compiles Kubernetes and takes minutes. --filter runs
the tests whose names contain NAME, --keep leaves the directories of all servers, with their logs, where
they are. Logs of tests that fail are kept in target/e2e/failed. To try things by hand on such servers:

    cargo run -p restow-e2e
";

const SERVERS: &str = "e2e/servers";
const KARPENTER: &str = "e2e/karpenter";

const KUBERNETES_MODULE: &str = "k8s.io/kubernetes";
const KWOK_MODULE: &str = "sigs.k8s.io/kwok";
const KARPENTER_MODULE: &str = "sigs.k8s.io/karpenter";

/// Nodes are ready at once and renew their leases; pods run at once, complete if they are of a job, and go when deleted.
const STAGES: &[&str] = &["node/fast", "node/heartbeat-with-lease", "pod/fast"];

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let filter: Option<String> = args.value("--filter")?;
    let keep = args.flag("--keep");
    args.finish()?;
    build()?;
    Cmd::cargo("build --package restow").run()?;
    let mut tests = Cmd::cargo("test --package restow-e2e --lib --bins --tests --");
    if let Some(filter) = filter {
        tests = tests.word(filter);
    }
    if keep {
        tests = tests.variable("RESTOW_E2E_KEEP", "1").word("--nocapture");
    }
    tests.word("--test-threads=1").run()
}

/// Brings everything that the tests need to `target/e2e`.
pub(crate) fn build() -> Result<()> {
    let out = path::absolute(target_dir().join("e2e"))
        .context("the target directory has no absolute path")?;
    fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    build_servers(&out)?;
    build_karpenter(&out)
}

fn build_servers(out: &Path) -> Result<()> {
    let version = module(SERVERS, KUBERNETES_MODULE, "Version")?;
    let minor = version.split('.').nth(1).context("the version of Kubernetes has no minor part")?;
    // Unstamped it would say v0.0.0.
    let stamps = [("gitVersion", version.as_str()), ("gitMajor", "1"), ("gitMinor", minor)]
        .map(|(name, value)| format!("-X k8s.io/component-base/version.{name}={value}"));
    go_build(SERVERS, &out.join("servers"))?
        .word("-ldflags")
        .word(stamps.join(" "))
        .word(".")
        .run()?;
    let stages = PathBuf::from(module(SERVERS, KWOK_MODULE, "Dir")?).join("kustomize/stage");
    let mut text = String::new();
    for stage in STAGES {
        for file in yaml_files(&stages.join(stage))? {
            text += "---\n";
            text += &read(&file)?;
        }
    }
    write(&out.join("stages.yaml"), &text)
}

fn build_karpenter(out: &Path) -> Result<()> {
    let source = PathBuf::from(module(KARPENTER, KARPENTER_MODULE, "Dir")?);
    let version = module(KARPENTER, KARPENTER_MODULE, "Version")?;
    let stamp =
        format!("-X {KARPENTER_MODULE}/pkg/operator.Version={}", version.trim_start_matches('v'));
    let [modules, overlay] = on_loopback(&source, out)?;
    go_build(KARPENTER, &out.join("karpenter"))?
        .word(modules)
        .word(overlay)
        .word("-ldflags")
        .word(stamp)
        .word(format!("{KARPENTER_MODULE}/kwok"))
        .run()?;
    let crds = out.join("crds");
    if crds.exists() {
        fs::remove_dir_all(&crds).with_context(|| format!("cannot clear {}", crds.display()))?;
    }
    fs::create_dir(&crds).with_context(|| format!("cannot make {}", crds.display()))?;
    for folder in ["pkg/apis/crds", "kwok/apis/crds"] {
        for file in yaml_files(&source.join(folder))? {
            let name = file.file_name().context("a file has a name")?;
            write(&crds.join(name), &read(&file)?)?;
        }
    }
    let types = read(&source.join("kwok/cloudprovider/instance_types.json"))?;
    write(&out.join("instance_types.json"), &types)
}

/// Karpenter listens on every address of the machine and has no setting for it. So the compiler is given another text of one
/// file (`-overlay`), in which it listens on loopback; since it allows none in the module cache, it finds the module by another
/// name there (`-modfile`). Everything else is as it is.
fn on_loopback(source: &Path, out: &Path) -> Result<[String; 2]> {
    const FILE: &str = "pkg/operator/operator.go";
    let text = read(&source.join(FILE))?;
    let (everywhere, here) = ("Sprintf(\":%d\"", "Sprintf(\"127.0.0.1:%d\"");
    let found = text.matches(everywhere).count();
    ensure!(found == 2, "{FILE} of Karpenter listens {found} times instead of 2");
    let changed = out.join("operator.go");
    write(&changed, &text.replace(everywhere, here))?;

    let link = out.join("karpenter-source");
    if fs::read_link(&link).ok().as_deref() != Some(source) {
        fs::remove_file(&link).ok();
        symlink(source, &link).with_context(|| format!("cannot make {}", link.display()))?;
    }
    let (modules, overlay) = (out.join("karpenter.mod"), out.join("karpenter-overlay.json"));
    let own = read(&Path::new(KARPENTER).join("go.mod"))?;
    write(&modules, &format!("{own}\nreplace {KARPENTER_MODULE} => {}\n", link.display()))?;
    write(&modules.with_extension("sum"), &read(&Path::new(KARPENTER).join("go.sum"))?)?;
    let (from, to) = (link.join(FILE), changed);
    write(
        &overlay,
        &format!(
            "{{\"Replace\": {{{:?}: {:?}}}}}",
            from.display().to_string(),
            to.display().to_string()
        ),
    )?;
    Ok([format!("-modfile={}", modules.display()), format!("-overlay={}", overlay.display())])
}

/// As the oracles are built.
fn go_build(dir: &str, program: &Path) -> Result<Cmd> {
    let build = Cmd::new(oracle::go()?).words("build -buildvcs=false -o").word(program).dir(dir);
    Ok(build.variable("CGO_ENABLED", "0"))
}

/// What Go says of a module that one of ours uses; it is downloaded if it is not there.
fn module(dir: &str, name: &str, field: &str) -> Result<String> {
    let go = oracle::go()?;
    Cmd::new(&go).words("mod download").word(name).dir(dir).read()?;
    let format = format!("{{{{.{field}}}}}");
    let text = Cmd::new(&go).words("list -m -f").word(format).word(name).dir(dir).read()?;
    Ok(text.trim().to_owned())
}

/// In the order of their names, without those that are for kustomize.
fn yaml_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let file = entry?.path();
        if file.extension().is_some_and(|end| end == "yaml")
            && !file.ends_with("kustomization.yaml")
        {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Each module of a go.mod with the version that counts.
    fn versions(dir: &str) -> BTreeMap<String, String> {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(dir).join("go.mod");
        let mut found = BTreeMap::new();
        // What replaces stands at the end of the file.
        for line in read(&file).unwrap().lines().filter(|line| line.starts_with('\t')) {
            match line.split_whitespace().collect::<Vec<_>>().as_slice() {
                [name, "=>", _, version] | [name, version, ..] => {
                    found.insert((*name).to_owned(), (*version).to_owned());
                }
                _ => panic!("{line}"),
            }
        }
        found
    }

    #[test]
    fn versions_are_those_of_the_oracles_so_that_one_build_cache_serves_both() {
        for (ours, oracle) in [(SERVERS, "oracle/scheduler"), (KARPENTER, "oracle/karpenter")] {
            let (ours, oracle) = (versions(ours), versions(oracle));
            let shared: Vec<&String> =
                ours.keys().filter(|name| oracle.contains_key(*name)).collect();
            assert!(shared.len() > 50, "{shared:?}");
            for name in shared {
                assert_eq!(ours[name], oracle[name], "{name}");
            }
        }
    }
}
