//! Where the programs are: beside the tests, in cargo's target directory.

use std::env;
use std::path::{Path, PathBuf};

/// What `cargo xtask e2e` builds.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// etcd, Kubernetes, KWOK and kubectl.
    pub(crate) servers: PathBuf,
    pub(crate) karpenter: PathBuf,
    pub(crate) restow: PathBuf,
    /// Ends another program when its parent ends.
    pub(crate) leash: PathBuf,
    /// Karpenter's CRDs.
    pub(crate) crds: PathBuf,
    /// How KWOK brings nodes and pods to life.
    pub(crate) stages: PathBuf,
    /// Logs of tests that failed.
    pub(crate) failed: PathBuf,
}

/// The instance types that Karpenter's KWOK provider brings, with their prices: a file that `restow --catalog` takes, too.
pub fn instance_types() -> PathBuf {
    Programs::find().crds.with_file_name("instance_types.json")
}

impl Programs {
    pub(crate) fn find() -> Self {
        let test = env::current_exe().expect("a running program has a path");
        // target/debug/deps/servers-0123 or target/debug/restow-e2e.
        let profile = test
            .ancestors()
            .skip(1)
            .find(|dir| !dir.ends_with("deps"))
            .expect("cargo puts programs into a folder of their profile");
        let target = profile.parent().expect("and that into its target directory");
        let built = target.join("e2e");
        let found = Self {
            servers: built.join("servers"),
            karpenter: built.join("karpenter"),
            restow: profile.join("restow"),
            leash: profile.join("restow-e2e"),
            crds: built.join("crds"),
            stages: built.join("stages.yaml"),
            failed: built.join("failed"),
        };
        for path in [
            &found.servers,
            &found.karpenter,
            &found.restow,
            &found.leash,
            &found.crds,
            &found.stages,
        ] {
            assert!(
                path.exists(),
                "{} is missing: `cargo xtask e2e` builds it and runs these tests",
                path.display()
            );
        }
        found
    }
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
