//! The chart and what is made of it: the manifests of `deploy/manifests` are what the real Helm makes of `deploy/chart`, and the chart
//! has copies of the CRDs, the alert rules and the dashboard, since Helm reads nothing outside of it.

use std::fs;
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::args::Args;
use crate::oracle;
use crate::shell::{Cmd, target_dir};

pub(crate) const HELP: &str = "
Builds Helm (e2e/helm), brings what the chart has copies of up to date, lints the chart, renders it with every option
and with values that must be refused, and writes deploy/manifests; git shows what changed. --check compares instead.
";

const CHART: &str = "deploy/chart";
const HELM: &str = "e2e/helm";
const PACKAGE: &str = "helm.sh/helm/v3/cmd/helm";

/// For which Kubernetes to render.
const KUBERNETES: &str = "1.36.3";

/// What the chart has copies of.
const COPIES: &[(&str, &str)] = &[
    ("deploy/crds/restow.dev_moves.yaml", "crds/restow.dev_moves.yaml"),
    (
        "deploy/crds/restow.dev_consolidationreports.yaml",
        "crds/restow.dev_consolidationreports.yaml",
    ),
    ("deploy/prometheus/rules.yaml", "files/rules.yaml"),
    ("deploy/grafana/restow.json", "files/restow.json"),
];

/// Values that the schema must refuse, with a word of what is said then.
const REFUSED: &[(&str, &str)] = &[
    ("mode=both", "/mode"),
    ("settings.mode=act", "'mode' not allowed"),
    ("settings.savings-treshold-cents=1", "'savings-treshold-cents' not allowed"),
    ("settings.profile=reckless", "/settings/profile"),
    ("replica=1", "'replica' not allowed"),
    ("antiAffinity=sometimes", "/antiAffinity"),
];

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let check = args.flag("--check");
    args.finish()?;
    let helm = build()?;
    for (from, to) in COPIES {
        let text = fs::read_to_string(from).with_context(|| format!("cannot read {from}"))?;
        settle(&Path::new(CHART).join(to), &text, check)?;
    }
    let everything = Path::new(CHART).join("ci/everything.yaml");
    let lint = || Cmd::new(&helm).words("lint --strict --quiet").word(CHART);
    lint().run()?;
    lint().word("--values").word(&everything).run()?;
    render(&helm).word("--values").word(&everything).read()?;
    for (values, words) in REFUSED {
        match render(&helm).word("--set").word(values).read() {
            Ok(_) => bail!("the chart takes {values}"),
            Err(error) => {
                let said = format!("{error:#}");
                ensure!(said.contains(words), "{values}: expected {words:?} in\n{said}");
            }
        }
    }
    for mode in ["observe", "act"] {
        let rendered = render(&helm).word("--set").word(format!("mode={mode}")).read()?;
        let path = PathBuf::from(format!("deploy/manifests/{mode}.yaml"));
        settle(&path, &manifests(mode, &rendered), check)?;
    }
    Ok(())
}

fn render(helm: &Path) -> Cmd {
    let render = Cmd::new(helm).words("template restow").word(CHART).words("--namespace restow");
    render.word("--kube-version").word(KUBERNETES)
}

/// The real Helm, from its module.
fn build() -> Result<PathBuf> {
    let program = path::absolute(target_dir().join(HELM))
        .context("the target directory has no absolute path")?;
    let build = Cmd::new(oracle::go()?).words("build -buildvcs=false -o").word(&program);
    build.word(PACKAGE).dir(HELM).variable("CGO_ENABLED", "0").run()?;
    Ok(program)
}

/// Writes a file, or sees that it is as it would be written.
fn settle(path: &Path, text: &str, check: bool) -> Result<()> {
    if !check {
        return fs::write(path, text).with_context(|| format!("cannot write {}", path.display()));
    }
    if fs::read_to_string(path).unwrap_or_default() != text {
        bail!("{} is out of date: `cargo xtask deploy` writes it again", path.display());
    }
    Ok(())
}

/// What the chart renders, without Helm's remarks and with the namespace that Helm leaves to others.
fn manifests(mode: &str, rendered: &str) -> String {
    let mut text = format!(
        "# restow in mode {mode}: what deploy/chart renders, with a namespace. Written by `cargo xtask deploy`.\n\
         # `restow manifests` prints it for another namespace or image. The CRDs come first: `restow crds`.\n\
         ---\n\
         apiVersion: v1\n\
         kind: Namespace\n\
         metadata:\n  \
           name: restow\n  \
           labels:\n    \
             pod-security.kubernetes.io/enforce: restricted\n"
    );
    for line in rendered.lines().filter(|line| !line.starts_with("# Source: ")) {
        text += line;
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_of_helm_are_left_out_and_the_namespace_comes_first() {
        let rendered = "---\n# Source: restow/templates/a.yaml\n# Ours.\nkind: A\n";
        let text = manifests("observe", rendered);
        assert!(text.ends_with("enforce: restricted\n---\n# Ours.\nkind: A\n"), "{text}");
        assert!(text.contains("kind: Namespace\nmetadata:\n  name: restow\n  labels:\n    pod"));
    }
}
