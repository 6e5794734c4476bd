use super::ObjectRow;

#[test]
fn objects_are_named_as_kubectl_does() {
    let object = |kind: &str, namespace: Option<&str>, name: Option<&str>| ObjectRow {
        kind: kind.to_owned(),
        namespace: namespace.map(str::to_owned),
        name: name.map(str::to_owned),
    };
    assert_eq!(object("Pod", Some("web"), Some("api")).to_string(), "Pod web/api");
    assert_eq!(object("NodePool", None, Some("default")).to_string(), "NodePool default");
    assert_eq!(object("Cluster", None, None).to_string(), "Cluster");
}
