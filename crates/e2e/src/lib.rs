//! The real servers of a cluster, for tests: what restow does is seen on the code that runs everywhere else.
//!
//! [`Servers::start`] gives a set of its own: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, KWOK in place of
//! kubelets and, if asked for, Karpenter with its KWOK provider. All of them listen on loopback and end with the value, with the
//! test, and with the process, however that ends.
//!
//! ```no_run
//! use restow_e2e::{LIMIT, Options, Servers, objects, paths};
//!
//! let servers = Servers::start(Options { karpenter: true, ..Options::default() });
//! servers.apply(objects::node_pool("default"));
//! servers.apply(objects::deployment("web", 50, "500m", "512Mi"));
//! servers.wait_until("50 pods run", LIMIT, || servers.running_pods(50));
//! let plan = servers.restow(servers.kubeconfig(), &["plan"]);
//! assert_eq!(plan.code, Some(0), "{plan}");
//! assert!(servers.count(paths::NODE_CLAIMS) > 1);
//! ```
//!
//! This is a kit for tests: whatever fails panics and tells the whole story. Programs are built by `cargo xtask e2e`; one that is
//! missing is a failure.

mod access;
mod client;
mod cluster;
mod kubeconfig;
mod leash;
pub mod objects;
mod options;
mod part;
pub mod paths;
mod pki;
mod ports;
mod process;
mod programs;
mod restow;
mod servers;
mod wait;
mod work;

pub use access::{Account, read_only};
pub use client::{Client, Refused};
pub use leash::leash;
pub use options::{NodePools, Options, Scoring};
pub use part::Part;
pub use process::Process;
pub use programs::instance_types;
pub use restow::Run;
pub use servers::Servers;
pub use wait::LIMIT;
