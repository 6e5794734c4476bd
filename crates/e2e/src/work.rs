//! The directory of one set: its data, logs, certificates and kubeconfigs.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;
use tempfile::TempDir;

use crate::kubeconfig;
use crate::options::Options;
use crate::part::Part;
use crate::pki::{Pki, token};
use crate::ports::Ports;
use crate::programs::Programs;

/// Set by `cargo xtask e2e --keep`.
const KEEP: &str = "RESTOW_E2E_KEEP";

const PREFIX: &str = "restow-e2e-";
const LOCK: &str = "lock";

/// In memory, if there is so much room: etcd's data grows to some hundred megabytes with ten thousand pods.
const MEMORY: &str = "/dev/shm";
const ROOM: u64 = 2 << 30;

/// Everything that a part needs to know to start, and to start again where it was.
#[derive(Debug)]
pub(crate) struct Work {
    /// Until it is dropped.
    dir: Option<TempDir>,
    /// Held locked, so that whoever finds the directory knows that it is in use.
    _lock: File,
    pub(crate) programs: Programs,
    pub(crate) options: Options,
    pub(crate) ports: Ports,
    pub(crate) pki: Pki,
    pub(crate) admin_token: String,
}

impl Work {
    pub(crate) fn new(options: Options) -> Self {
        let programs = Programs::find();
        let base = base();
        sweep(&base);
        let dir =
            tempfile::Builder::new().prefix(PREFIX).tempdir_in(&base).unwrap_or_else(|error| {
                panic!("cannot make a directory in {}: {error}", base.display())
            });
        let lock = lock(dir.path()).expect("a new directory can be locked");
        let mut work = Self {
            _lock: lock,
            programs,
            options,
            ports: Ports::free(),
            pki: Pki::make(dir.path()),
            admin_token: token(),
            dir: Some(dir),
        };
        work.write_users().expect("a new directory can be written");
        work
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.as_ref().expect("it is there until this is dropped").path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// The address of the API server.
    pub(crate) fn server(&self) -> String {
        format!("https://127.0.0.1:{}", self.ports.api_server)
    }

    pub(crate) fn kubeconfig(&self, user: &str) -> PathBuf {
        self.file(&format!("{user}.kubeconfig"))
    }

    pub(crate) fn log(&self, name: &str) -> PathBuf {
        self.file(&format!("{name}.log"))
    }

    /// The users of the token file, and their kubeconfigs.
    fn write_users(&mut self) -> io::Result<()> {
        let mut file = File::create(self.file("tokens.csv"))?;
        // All but the scheduler, which has a role of its own, do what they do in the name of many.
        for (user, name, group) in [
            ("admin", "admin", "system:masters"),
            (Part::ControllerManager.name(), "system:kube-controller-manager", "system:masters"),
            (Part::Scheduler.name(), "system:kube-scheduler", "system:authenticated"),
            (Part::Kwok.name(), "kwok", "system:masters"),
            (Part::Karpenter.name(), "karpenter", "system:masters"),
        ] {
            let token = if user == "admin" { self.admin_token.clone() } else { token() };
            writeln!(file, "{token},{name},{name},{group}")?;
            kubeconfig::write(&self.kubeconfig(user), &self.server(), &self.pki.ca, &token);
        }
        Ok(())
    }

    /// Puts the logs where they stay, and says where.
    pub(crate) fn save_logs(&self, test: &str) -> io::Result<PathBuf> {
        let to = self.programs.failed.join(test.replace("::", "-"));
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(self.path())? {
            let file = entry?.path();
            if let (Some("log"), Some(name)) =
                (file.extension().and_then(|end| end.to_str()), file.file_name())
            {
                fs::copy(&file, to.join(name))?;
            }
        }
        Ok(to)
    }
}

impl Drop for Work {
    #[expect(clippy::print_stderr, reason = "whoever asked to keep it wants to know where it is")]
    fn drop(&mut self) {
        if env::var_os(KEEP).is_some()
            && let Some(dir) = self.dir.take()
        {
            let dir = dir.keep();
            fs::remove_file(dir.join(LOCK)).ok();
            eprintln!("kept: {}", dir.display());
        }
    }
}

fn base() -> PathBuf {
    let free = statvfs(MEMORY).map_or(0, |room| room.f_bavail * room.f_frsize);
    if free > ROOM { PathBuf::from(MEMORY) } else { env::temp_dir() }
}

/// The lock has its name only once it is locked.
fn lock(dir: &Path) -> io::Result<File> {
    let new = dir.join("new-lock");
    let file = File::create(&new)?;
    file.lock()?;
    fs::rename(new, dir.join(LOCK))?;
    Ok(file)
}

/// Removes what tests left that were killed: a lock that nobody holds.
fn sweep(base: &Path) {
    let Ok(entries) = fs::read_dir(base) else { return };
    let ours = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX);
    for dir in entries.flatten().filter(ours).map(|entry| entry.path()) {
        if File::open(dir.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok()) {
            fs::remove_dir_all(dir).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_use_or_kept_stays_and_the_rest_is_swept() {
        let base = TempDir::new().unwrap();
        let [used, left, kept] = ["used", "left", "kept"].map(|name| {
            let dir = base.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&dir).unwrap();
            dir
        });
        let _used = lock(&used).unwrap();
        drop(lock(&left).unwrap());
        sweep(base.path());
        assert!(used.exists() && kept.exists() && !left.exists());
    }
}
