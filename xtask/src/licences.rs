//! Licence and source of every dependency.
//!
//! What we ship is under Apache-2.0; a dependency whose terms do not go with that, or that does
//! not come from the public registry, must not slip in by an update.

use anyhow::{Result, bail};
use spdx::{Expression, LicenseReq, ParseMode};

use crate::args::Args;
use crate::graph::{Graph, Package, Source};

pub(crate) const HELP: &str = "
Every package in the graphs of the workspace and of fuzz/ needs a licence expression that can be
kept with the list in xtask/src/licences.rs alone, and has to come from the public registry or be ours.
";

/// What we accept in anything that we build.
const ALLOWED: &[&str] = &[
    "Apache-2.0",
    // Apache-2.0 with a permission added: asks for less than the plain one.
    "Apache-2.0 WITH LLVM-exception",
    "MIT",
    // MIT without the duty to repeat the notice.
    "MIT-0",
    "0BSD",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    // Boost: no notice needed in binaries.
    "BSL-1.0",
    "Zlib",
    // Public domain, with a licence where there is no such thing.
    "CC0-1.0",
    "Unlicense",
    // The Unicode tables: permissive, with a notice.
    "Unicode-3.0",
    // Covers the files of the dependency only, and we do not change those.
    "MPL-2.0",
    // A list of root certificates, which is data.
    "CDLA-Permissive-2.0",
];

/// Licences for one package that is never part of what we ship.
const EXCEPTIONS: &[(&str, &str)] = &[
    // libFuzzer's own sources, as permissive as MIT; only linked into fuzz targets.
    ("libfuzzer-sys", "NCSA"),
];

pub(crate) fn run(args: &mut Args) -> Result<()> {
    args.finish()?;
    for manifest in ["Cargo.toml", "fuzz/Cargo.toml"] {
        if !std::fs::exists(manifest)? {
            continue;
        }
        let graph = Graph::load(manifest)?;
        let found: Vec<String> = graph.packages.iter().filter_map(objection).collect();
        if !found.is_empty() {
            bail!("{manifest} builds on what we may not use:\n  {}", found.join("\n  "));
        }
        println!("{manifest}: {} packages, all with a licence we accept.", graph.packages.len());
    }
    Ok(())
}

/// Why a package may not be used, if so.
fn objection(package: &Package) -> Option<String> {
    let shown = format!("{} {}", package.name, package.version);
    match &package.source {
        Source::CratesIo | Source::Ours => {}
        // fuzz/ is a workspace of its own and uses our crates by path.
        Source::Other(place) if place.contains("path") && package.name.starts_with("restow") => {}
        Source::Other(place) => {
            return Some(format!(
                "{shown} comes from {place}; only the public registry and our own do"
            ));
        }
    }
    let Some(licence) = &package.licence else {
        return Some(format!("{shown} states no licence"));
    };
    // Older packages write `MIT/Apache-2.0` for a choice.
    let expression = match Expression::parse_mode(licence, ParseMode::LAX) {
        Ok(expression) => expression,
        Err(error) => return Some(format!("{shown}: `{licence}` is no expression: {error}")),
    };
    if expression.evaluate(|licence| accepted(&package.name, licence)) {
        None
    } else {
        Some(format!("{shown}: `{licence}` asks for more than we accept"))
    }
}

fn accepted(package: &str, licence: &LicenseReq) -> bool {
    let text = licence.to_string();
    ALLOWED.contains(&text.as_str()) || EXCEPTIONS.contains(&(package, &text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(licence: Option<&str>, source: Source) -> Package {
        Package {
            name: "left-pad".into(),
            version: "1.2.3".into(),
            licence: licence.map(str::to_owned),
            source,
            edges: Vec::new(),
        }
    }

    fn refusal(licence: &str) -> Option<String> {
        objection(&package(Some(licence), Source::CratesIo))
    }

    #[test]
    fn a_choice_needs_one_accepted_licence() {
        assert_eq!(refusal("GPL-3.0-only OR MIT"), None);
        assert_eq!(refusal("MIT/GPL-2.0"), None);
        assert!(refusal("GPL-3.0-only OR AGPL-3.0-only").is_some());
    }

    #[test]
    fn a_combination_needs_all_of_them_accepted() {
        assert_eq!(refusal("(MIT OR Apache-2.0) AND Unicode-3.0"), None);
        let message = refusal("MIT AND GPL-3.0-or-later").unwrap();
        assert!(message.contains("left-pad 1.2.3: `MIT AND GPL-3.0-or-later` asks for more"));
    }

    #[test]
    fn an_exception_counts_only_as_written() {
        assert_eq!(refusal("Apache-2.0 WITH LLVM-exception"), None);
        assert!(refusal("GPL-2.0-only WITH Classpath-exception-2.0").is_some());
        assert!(refusal("NCSA").is_some(), "accepted for libfuzzer-sys alone");
    }

    #[test]
    fn no_licence_or_an_unreadable_one_is_refused() {
        assert!(objection(&package(None, Source::CratesIo)).unwrap().contains("no licence"));
        assert!(refusal("as you like").unwrap().contains("is no expression"));
    }

    #[test]
    fn a_package_from_elsewhere_is_refused_whatever_its_licence() {
        let git = Source::Other("git+ssh://somewhere/left-pad".into());
        let message = objection(&package(Some("MIT"), git)).unwrap();
        assert!(message.contains("comes from git+ssh://somewhere/left-pad"));
        let path = Source::Other("a path outside the workspace".into());
        assert!(objection(&package(Some("MIT"), path)).is_some());
    }

    #[test]
    fn every_accepted_licence_is_a_known_one() {
        for licence in ALLOWED.iter().chain(EXCEPTIONS.iter().map(|(_, licence)| licence)) {
            let parsed = Expression::parse(licence).expect("listed licences are SPDX");
            assert!(parsed.requirements().all(|part| part.req.to_string() == **licence));
        }
    }
}
