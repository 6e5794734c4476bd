//! Finds the server and the credentials, as `kubectl` does.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::client::AuthError;
use kube::config::{KubeConfigOptions, Kubeconfig, KubeconfigError};
use kube::{Client, Config};
use serde::Deserialize;

use crate::answer::{Failure, root_cause};
use crate::client::Connection;

/// How long the first answer may take.
const FIRST_ANSWER: Duration = Duration::from_secs(30);

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No kubeconfig, and not inside of a cluster.
    #[error(
        "no kubeconfig: {looked} does not exist; name one with --kubeconfig or KUBECONFIG, or read a file with -f"
    )]
    NoKubeconfig {
        /// Where one was looked for.
        looked: String,
    },
    /// The kubeconfig cannot be read.
    #[error("cannot read the kubeconfig: {reason}")]
    BadKubeconfig {
        /// What is wrong with it.
        reason: String,
    },
    /// The kubeconfig has no such context.
    #[error("the kubeconfig has no context {wanted:?}; it has {}", names(.known))]
    UnknownContext {
        /// What was asked for.
        wanted: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The kubeconfig does not say which context to take.
    #[error("the kubeconfig has no current context; choose one with --context: it has {}", names(.known))]
    NoCurrentContext {
        /// What there is.
        known: Vec<String>,
    },
    /// The command that gives the credentials failed.
    #[error("cannot get credentials: the command {command:?} of the kubeconfig failed: {reason}")]
    ExecPlugin {
        /// The command, without its arguments.
        command: String,
        /// What it said.
        reason: String,
    },
    /// The credentials are of no use.
    #[error("cannot use the credentials of the kubeconfig: {reason}")]
    Credentials {
        /// Why.
        reason: String,
    },
    /// Nobody answers.
    #[error("cannot reach {server}: {reason}")]
    Unreachable {
        /// The server's address.
        server: String,
        /// What happened on the way.
        reason: String,
    },
    /// 401: the server does not know who asks.
    #[error(
        "{server} does not accept the credentials of the kubeconfig ({message}): they may have expired; log in again and try `kubectl get nodes`"
    )]
    Unauthorized {
        /// The server's address.
        server: String,
        /// The server's words.
        message: String,
    },
}

fn names(known: &[String]) -> String {
    if known.is_empty() { "none".to_owned() } else { known.join(", ") }
}

/// Connects to the cluster of a kubeconfig's context, and sees that the server answers.
///
/// Without a file: those of `KUBECONFIG`, else `~/.kube/config`, else the service account when inside of a
/// cluster. Without a context: the current one.
pub async fn connect(
    kubeconfig: Option<PathBuf>,
    context: Option<String>,
) -> Result<Connection, ConnectError> {
    let (mut config, context) = configure(kubeconfig, context).await?;
    config.default_retry = false;
    config.connect_timeout = Some(Duration::from_secs(10));
    let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
    let command = config.auth_info.exec.as_ref().and_then(|exec| exec.command.clone());
    // A command for credentials runs here and may take its time.
    let client = tokio::task::spawn_blocking(move || Client::try_from(config))
        .await
        .map_err(|error| ConnectError::Credentials { reason: error.to_string() })?
        .map_err(|error| client_error(error, command))?;
    let mut connection = Connection { client, server, context, version: None };
    connection.version = first_answer(&connection).await?;
    Ok(connection)
}

/// The server's version: the cheapest question that tells whether it is there and knows the user.
async fn first_answer(connection: &Connection) -> Result<Option<String>, ConnectError> {
    #[derive(Deserialize)]
    struct Version {
        #[serde(rename = "gitVersion")]
        git_version: String,
    }
    let server = connection.server.clone();
    match connection.get("/version", FIRST_ANSWER).await {
        Ok(answer) if answer.code == 401 => {
            Err(ConnectError::Unauthorized { server, message: answer.message() })
        }
        // Whatever else it says, it is there; what it allows is seen when it is asked.
        Ok(answer) => Ok(serde_json::from_slice::<Version>(&answer.body)
            .ok()
            .map(|version| version.git_version)),
        Err(Failure::Transport(reason)) => Err(ConnectError::Unreachable { server, reason }),
        Err(Failure::Credentials(reason)) => Err(ConnectError::Credentials { reason }),
    }
}

async fn configure(
    explicit: Option<PathBuf>,
    context: Option<String>,
) -> Result<(Config, Option<String>), ConnectError> {
    let Some(kubeconfig) = find(explicit)? else {
        if context.is_none()
            && let Ok(config) = Config::incluster()
        {
            return Ok((config, None));
        }
        let looked = candidates().iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        return Err(ConnectError::NoKubeconfig { looked: looked.join(", ") });
    };
    let known: Vec<String> = kubeconfig.contexts.iter().map(|named| named.name.clone()).collect();
    let current = kubeconfig.current_context.clone().filter(|name| !name.is_empty());
    let Some(wanted) = context.or(current) else {
        return Err(ConnectError::NoCurrentContext { known });
    };
    if !known.contains(&wanted) {
        return Err(ConnectError::UnknownContext { wanted, known });
    }
    let options =
        KubeConfigOptions { context: Some(wanted.clone()), ..KubeConfigOptions::default() };
    match Config::from_custom_kubeconfig(kubeconfig, &options).await {
        Ok(config) => Ok((config, Some(wanted))),
        Err(error) => Err(bad_kubeconfig(&error)),
    }
}

/// The kubeconfig, merged of several files where `KUBECONFIG` names several; `None` when there is none.
fn find(explicit: Option<PathBuf>) -> Result<Option<Kubeconfig>, ConnectError> {
    match explicit {
        Some(path) => read(&path).map(Some),
        None => merge(&candidates()),
    }
}

fn read(path: &Path) -> Result<Kubeconfig, ConnectError> {
    Kubeconfig::read_from(path).map_err(|error| bad_kubeconfig(&error))
}

/// What the files say together, the first one first. Files that do not exist are passed over, as kubectl does.
fn merge(paths: &[PathBuf]) -> Result<Option<Kubeconfig>, ConnectError> {
    let mut found: Option<Kubeconfig> = None;
    for path in paths.iter().filter(|path| path.exists()) {
        let next = read(path)?;
        found = Some(match found {
            None => next,
            Some(before) => before.merge(next).map_err(|error| bad_kubeconfig(&error))?,
        });
    }
    Ok(found)
}

/// Where a kubeconfig may be.
fn candidates() -> Vec<PathBuf> {
    let named: Vec<PathBuf> = env::var_os("KUBECONFIG")
        .map(|paths| env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect())
        .unwrap_or_default();
    if named.is_empty() {
        env::home_dir().map(|home| home.join(".kube").join("config")).into_iter().collect()
    } else {
        named
    }
}

fn bad_kubeconfig(error: &KubeconfigError) -> ConnectError {
    let reason = match error {
        KubeconfigError::ReadConfig(error, path) => format!("{}: {error}", path.display()),
        other => other.to_string(),
    };
    ConnectError::BadKubeconfig { reason }
}

fn client_error(error: kube::Error, command: Option<String>) -> ConnectError {
    let kube::Error::Auth(auth) = error else {
        return ConnectError::Credentials { reason: root_cause(&error) };
    };
    let command = command.unwrap_or_default();
    match auth {
        AuthError::AuthExecStart(error) => {
            ConnectError::ExecPlugin { command, reason: error.to_string() }
        }
        AuthError::AuthExecRun { out, .. } => {
            // The last line of what it complained is the most telling; the whole may be long.
            let said = String::from_utf8_lossy(&out.stderr);
            let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
            let reason = last.map_or_else(|| out.status.to_string(), str::to_owned);
            ConnectError::ExecPlugin { command, reason }
        }
        AuthError::ExecPluginFailed | AuthError::AuthExecParse(_) => ConnectError::ExecPlugin {
            command,
            reason: "its answer holds no credentials".to_owned(),
        },
        other => ConnectError::Credentials { reason: other.to_string() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_files_are_one_and_missing_ones_do_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("a file");
            path
        };
        let context = |name| format!("contexts: [{{name: {name}, context: {{cluster: c}}}}]\n");
        let first = file("first", &context("a"));
        let second = file("second", &format!("{}current-context: b\n", context("b")));
        let merged = merge(&[folder.path().join("none"), first, second])
            .expect("readable")
            .expect("some of them exist");
        assert_eq!(merged.current_context.as_deref(), Some("b"));
        assert_eq!(merged.contexts.len(), 2);
        assert!(merge(&[folder.path().join("none")]).expect("nothing to read").is_none());
    }
}
