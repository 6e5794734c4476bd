//! `restow manifests`: everything that the controller runs with, without Helm.

use std::process::ExitCode;

use clap::ValueEnum;

use crate::terminal;

/// Print the manifests of the controller, to hand them to kubectl.
///
/// Namespace, ServiceAccount, RBAC, a Deployment of two replicas, PodDisruptionBudget and NetworkPolicy: what the Helm chart renders by
/// default. The CRDs come first: `restow crds`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow manifests --image mirror/restow:0.1.0 | kubectl apply --server-side -f -\n  \
                  restow manifests --mode act --image mirror/restow:0.1.0 | kubectl diff --server-side -f -\n\n\
                  To act, pools have to say so too: see docs/controller.md."
)]
pub(crate) struct ManifestsArgs {
    /// Whether moves are carried out or only shown; `act` brings the rights to do so.
    #[arg(long, value_enum, default_value_t)]
    mode: Mode,

    /// The namespace.
    #[arg(long, value_name = "NAME", default_value = NAMESPACE, value_parser = namespace)]
    namespace: String,

    /// The image of the controller, where the cluster finds it.
    #[arg(long, value_name = "IMAGE", default_value = IMAGE, value_parser = image)]
    image: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Tell what would be done.
    #[default]
    Observe,
    /// Do it, in pools that say so too.
    Act,
}

/// As the files have them.
const NAMESPACE: &str = "restow";
const IMAGE: &str = concat!("restow:", env!("CARGO_PKG_VERSION"));

impl Mode {
    fn text(self) -> &'static str {
        match self {
            Self::Observe => include_str!("../../../../deploy/manifests/observe.yaml"),
            Self::Act => include_str!("../../../../deploy/manifests/act.yaml"),
        }
    }
}

pub(crate) fn run(args: &ManifestsArgs) -> anyhow::Result<ExitCode> {
    terminal::print(&manifests(args.mode, &args.namespace, &args.image))?;
    Ok(ExitCode::SUCCESS)
}

fn manifests(mode: Mode, namespace: &str, image: &str) -> String {
    let mut text = String::new();
    let mut is_namespace = false;
    for line in mode.text().lines() {
        is_namespace = line != "---" && (is_namespace || line == "kind: Namespace");
        let (before, own) = line.split_at(line.len() - line.trim_start().len());
        let own = match own.split_once(": ") {
            Some(("namespace", NAMESPACE)) => format!("namespace: {namespace}"),
            Some(("name", NAMESPACE)) if is_namespace => format!("name: {namespace}"),
            Some(("image", _)) => format!("image: {image:?}"),
            _ => own.to_owned(),
        };
        text += before;
        text += &own;
        text.push('\n');
    }
    text
}

/// A name that a namespace can have.
fn namespace(text: &str) -> Result<String, String> {
    let letters = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    let ends = text.starts_with('-') || text.ends_with('-');
    if text.is_empty() || text.len() > 63 || ends || !text.bytes().all(letters) {
        return Err("expected lower case letters, digits and - within them, 63 at most".to_owned());
    }
    Ok(text.to_owned())
}

/// Something that can be the name of an image: what there is, only the cluster knows.
fn image(text: &str) -> Result<String, String> {
    let letters = |c: u8| c.is_ascii_alphanumeric() || b"-._/:@".contains(&c);
    if text.is_empty() || !text.bytes().all(letters) {
        return Err("expected a name such as mirror/restow:0.1.0".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_they_are_they_are_the_files() {
        for mode in [Mode::Observe, Mode::Act] {
            assert_eq!(manifests(mode, NAMESPACE, IMAGE), mode.text());
        }
    }

    #[test]
    fn only_the_namespace_and_the_image_are_changed() {
        let [before, after] =
            [(NAMESPACE, IMAGE), ("tools", "mirror/restow@sha256:00")].map(|(namespace, image)| {
                manifests(Mode::Act, namespace, image)
                    .lines()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            });
        assert_eq!(before.len(), after.len());
        let mut changed: Vec<String> = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .map(|(before, after)| format!("{} → {}", before.trim(), after.trim()))
            .collect();
        changed.sort();
        changed.dedup();
        assert_eq!(
            changed,
            [
                format!("image: {IMAGE:?} → image: \"mirror/restow@sha256:00\""),
                "name: restow → name: tools".to_owned(),
                "namespace: restow → namespace: tools".to_owned(),
            ]
        );
        assert_eq!(after.iter().filter(|line| line.trim() == "name: tools").count(), 1);
        assert!(!after.contains(&"  namespace: restow".to_owned()));
    }

    #[test]
    fn what_cannot_be_a_name_is_refused() {
        assert!(namespace("kube-system").is_ok() && namespace("Tools").is_err());
        assert!(namespace("-a").is_err() && namespace("").is_err());
        assert!(image("mirror:5000/a/restow:1@sha256:0").is_ok());
        assert!(image("a b").is_err() && image("a\"b").is_err());
    }
}
