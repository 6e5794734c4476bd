//! Finding the server, and saying what is wrong when there is none.

use std::path::PathBuf;

use restow_controller::{ConnectError, Connection, connect};
use restow_testkit::server::{ApiServer, Reply, Script};
use serde_json::{Value, json};
use tempfile::TempDir;

fn write(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("config");
    std::fs::write(&path, text).expect("a file");
    (folder, path)
}

async fn connect_to(config: &Value, context: Option<&str>) -> Result<Connection, ConnectError> {
    let (_folder, path) = write(&config.to_string());
    connect(Some(path), context.map(str::to_owned)).await
}

fn text(result: Result<Connection, ConnectError>) -> String {
    match result {
        Ok(connection) => panic!("connected to {}", connection.server()),
        Err(error) => error.to_string(),
    }
}

fn server(script: Script) -> (ApiServer, Value) {
    let server = ApiServer::start(script).expect("a port");
    let config = server.kubeconfig(&json!({ "token": "secret" }));
    (server, config)
}

#[tokio::test]
async fn a_connection_knows_its_server() {
    let version = Reply::json(r#"{"major":"1","minor":"36","gitVersion":"v1.36.4"}"#);
    let (server, config) = server(Script::new().list("/version", [version]));
    let connection = connect_to(&config, None).await.expect("it answers");
    assert_eq!(connection.server(), server.url());
    assert_eq!(connection.context(), Some("scripted"));
    assert_eq!(connection.version(), Some("v1.36.4"));
    let other = connect_to(&config, Some("elsewhere")).await.expect("it answers");
    assert_eq!(other.context(), Some("elsewhere"));
    assert_eq!(other.version(), None);
}

#[tokio::test]
async fn an_unknown_context_is_told_with_the_known_ones() {
    let (_server, config) = server(Script::new());
    assert_eq!(
        text(connect_to(&config, Some("prod")).await),
        r#"the kubeconfig has no context "prod"; it has scripted, elsewhere"#
    );
}

#[tokio::test]
async fn without_a_current_context_one_has_to_be_chosen() {
    let (_server, mut config) = server(Script::new());
    config["current-context"] = json!("");
    let error = text(connect_to(&config, None).await);
    assert!(error.contains("--context") && error.ends_with("scripted, elsewhere"), "{error}");
    assert!(connect_to(&config, Some("scripted")).await.is_ok());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_told_with_its_address() {
    let (server, config) = server(Script::new());
    let url = server.url();
    drop(server);
    let error = text(connect_to(&config, None).await);
    assert!(error.starts_with(&format!("cannot reach {url}: ")), "{error}");
}

#[tokio::test]
async fn expired_credentials_are_told() {
    let (server, config) = server(Script::new().list("/version", [Reply::unauthorized()]));
    let error = text(connect_to(&config, None).await);
    assert!(error.starts_with(&server.url()), "{error}");
    assert!(error.contains("expired") && error.contains("log in again"), "{error}");
}

#[tokio::test]
async fn a_file_that_is_not_there_or_no_kubeconfig_is_told() {
    let (folder, path) = write("clusters: [1, 2");
    let error = text(connect(Some(path), None).await);
    assert!(error.starts_with("cannot read the kubeconfig: "), "{error}");
    let missing = folder.path().join("missing");
    let error = text(connect(Some(missing.clone()), None).await);
    assert!(error.contains(&missing.display().to_string()), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_command_for_credentials_that_fails_is_named_with_what_it_said() {
    let (server, _) = server(Script::new());
    let exec = |command: &str, arguments: &[&str]| {
        server.kubeconfig(&json!({ "exec": {
            "apiVersion": "client.authentication.k8s.io/v1",
            "command": command,
            "args": arguments,
            "env": [{ "name": "PASSWORD", "value": "hush" }],
            "interactiveMode": "Never",
        }}))
    };
    let absent = exec("no-such-command-for-credentials", &[]);
    let error = text(connect_to(&absent, None).await);
    assert!(error.contains(r#"the command "no-such-command-for-credentials""#), "{error}");
    let failing = exec("sh", &["-c", "echo one; echo the session is over >&2; exit 3"]);
    assert_eq!(
        text(connect_to(&failing, None).await),
        r#"cannot get credentials: the command "sh" of the kubeconfig failed: the session is over"#
    );
    let silent = exec("sh", &["-c", "exit 3"]);
    let error = text(connect_to(&silent, None).await);
    assert!(error.contains("exit status: 3") && !error.contains("hush"), "{error}");
}
