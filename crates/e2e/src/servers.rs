//! One set of servers: how it starts, how parts of it go and come back, and how it ends.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::client::{self, Client};
use crate::options::{NodePools, Options};
use crate::part::Part;
use crate::ports::SPARE;
use crate::process::Process;
use crate::programs::repository;
use crate::wait::{LIMIT, wait_until};
use crate::work::Work;
use crate::{objects, paths};

/// The file of our CRD of NodePools, called as Karpenter's.
const NODE_POOLS: &str = "karpenter.sh_nodepools.yaml";

/// One set of servers; dropping it ends them. Everything panics that does not go as it should.
#[derive(Debug)]
pub struct Servers {
    parts: Mutex<BTreeMap<Part, Process>>,
    admin: Client,
    /// Spare ports that were given away.
    given: AtomicU16,
    work: Work,
}

impl Servers {
    /// Starts a set and waits until all of it is ready.
    #[track_caller]
    pub fn start(options: Options) -> Self {
        let work = Work::new(options);
        let admin = Client::new(&work.server(), &work.pki.ca, &work.admin_token);
        let servers = Self { parts: Mutex::default(), admin, given: AtomicU16::new(0), work };
        servers.begin(Part::Etcd);
        servers.await_ready(Part::Etcd);
        servers.begin(Part::ApiServer);
        servers.await_ready(Part::ApiServer);
        let controllers = [Part::ControllerManager, Part::Scheduler, Part::Kwok];
        for part in controllers {
            servers.begin(part);
        }
        servers.install_crds();
        for part in controllers {
            servers.await_ready(part);
        }
        if servers.work.options.karpenter {
            let delay = servers.work.options.registration_delay.as_secs();
            servers.apply(objects::node_class("default", delay));
            servers.restart(Part::Karpenter);
        }
        servers
    }

    fn install_crds(&self) {
        let ours = self.work.options.node_pools == NodePools::Superset;
        let folder = fs::read_dir(&self.work.programs.crds).expect("CRDs have been built");
        let mut files: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
        if ours {
            files.retain(|file| !file.ends_with(NODE_POOLS));
            files.push(repository("deploy/crds").join(NODE_POOLS));
        }
        let mut words = vec!["apply", "--server-side"];
        let names: Vec<String> =
            files.iter().map(|file| format!("-f={}", file.display())).collect();
        words.extend(names.iter().map(String::as_str));
        self.kubectl(&words);
        self.wait_until("CRDs are served", LIMIT, || {
            let crds = self.list(paths::CRDS);
            let waiting = crds.iter().filter(|crd| !objects::has_condition(crd, "Established"));
            let names: Vec<&str> =
                waiting.filter_map(|crd| crd["metadata"]["name"].as_str()).collect();
            if names.is_empty() { Ok(()) } else { Err(names.join(", ")) }
        });
    }

    // Parts, one by one.

    /// Kills a part, as a crash would.
    #[track_caller]
    pub fn kill(&self, part: Part) {
        self.take(part).kill();
    }

    /// Asks a part to end, and waits until it has.
    #[track_caller]
    pub fn stop(&self, part: Part) {
        self.take(part).stop();
    }

    /// Starts a part that was killed or stopped, with the ports and the data that it had, and waits until it is ready.
    #[track_caller]
    pub fn restart(&self, part: Part) {
        self.begin(part);
        self.await_ready(part);
    }

    /// Lets a part hang: it keeps its connections and answers nothing.
    #[track_caller]
    pub fn pause(&self, part: Part) {
        self.with(part, |process| process.pause());
    }

    /// Lets a part go on that was paused.
    #[track_caller]
    pub fn resume(&self, part: Part) {
        self.with(part, |process| process.resume());
    }

    /// What a part has printed so far.
    pub fn log(&self, part: Part) -> String {
        fs::read(self.work.log(part.name()))
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .unwrap_or_default()
    }

    /// The number of a part's process.
    #[track_caller]
    pub fn process_id(&self, part: Part) -> u32 {
        self.with(part, |process| process.id())
    }

    pub(crate) fn work(&self) -> &Work {
        &self.work
    }

    fn parts(&self) -> MutexGuard<'_, BTreeMap<Part, Process>> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[track_caller]
    fn with<T>(&self, part: Part, then: impl FnOnce(&mut Process) -> T) -> T {
        match self.parts().get_mut(&part) {
            Some(process) => then(process),
            None => panic!("{} does not run", part.name()),
        }
    }

    #[track_caller]
    fn take(&self, part: Part) -> Process {
        let process = self.parts().remove(&part);
        process.unwrap_or_else(|| panic!("{} does not run", part.name()))
    }

    #[track_caller]
    fn begin(&self, part: Part) {
        assert!(!self.parts().contains_key(&part), "{} runs already", part.name());
        let process = self.spawn(part.name(), &part.command(&self.work));
        self.parts().insert(part, process);
    }

    #[track_caller]
    fn await_ready(&self, part: Part) {
        let (url, agent) = (part.ready(&self.work), client::agent(&self.work.pki.ca));
        self.wait_until(&format!("{} is ready", part.name()), LIMIT, || {
            let answer = agent.get(&url).call().map_err(|error| error.to_string())?;
            if answer.status().is_success() { Ok(()) } else { Err(answer.status().to_string()) }
        });
    }

    /// Looks again and again until `look` is content, at most for `limit`; fails with what it saw last, or when a part ends.
    #[track_caller]
    pub fn wait_until<T, E: Display>(
        &self,
        what: &str,
        limit: Duration,
        mut look: impl FnMut() -> Result<T, E>,
    ) -> T {
        wait_until(what, limit, || {
            let seen = look();
            self.parts().values_mut().for_each(Process::assert_running);
            seen
        })
    }

    /// The administrator.
    pub fn admin(&self) -> &Client {
        &self.admin
    }

    /// Starts any program, which ends with the value; it has the environment of `command` and nothing else.
    #[track_caller]
    pub fn spawn(&self, name: &str, command: &Command) -> Process {
        Process::start(name, command, &self.work.programs.leash, self.work.log(name))
    }

    // Where things are.

    /// The administrator's kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.work.kubeconfig("admin")
    }

    /// How to call kubectl.
    pub fn kubectl_program(&self) -> String {
        format!("{} kubectl", self.work.programs.servers.display())
    }

    /// The directory of this set; a test may put its own files there.
    pub fn dir(&self) -> &Path {
        self.work.path()
    }

    /// The address of the API server.
    pub fn url(&self) -> String {
        self.work.server()
    }

    /// A free port on loopback for a program of the test; another one each time.
    #[track_caller]
    pub fn port(&self) -> u16 {
        let given = self.given.fetch_add(1, Ordering::Relaxed);
        assert!(given < SPARE, "a set has {SPARE} spare ports");
        self.work.ports.spare + given
    }

    /// Karpenter's metrics.
    pub fn karpenter_metrics(&self) -> String {
        format!("http://127.0.0.1:{}/metrics", self.work.ports.karpenter_metrics)
    }
}

impl Drop for Servers {
    #[expect(clippy::print_stderr, reason = "what a test shows when it fails")]
    fn drop(&mut self) {
        // Whoever asks goes before whom it asks, or the ends of the logs would be about that.
        while let Some((_, process)) = self.parts().pop_last() {
            drop(process);
        }
        if thread::panicking() {
            match self.work.save_logs(thread::current().name().unwrap_or("test")) {
                Ok(folder) => eprintln!("--- all logs: {}", folder.display()),
                Err(error) => eprintln!("--- the logs are lost: {error}"),
            }
        }
    }
}
