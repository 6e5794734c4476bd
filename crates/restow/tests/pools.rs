//! NodePools from files as a person meets them: what is refused, in which words, and what is not.

use std::path::Path;
use std::process::Command;

/// What `restow config` makes of a file of the fixtures.
fn config(file: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_restow"))
        .args(["config", "-f", file])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/pools"))
        .env_clear()
        .env("COLUMNS", "100")
        .env("HOME", "/nonexistent")
        .output()
        .expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// A name for the snapshot file, then the file of the fixtures.
macro_rules! screens {
    ($($name:ident: $file:literal;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), config($file));
        }
    )* };
}

screens! {
    a_misspelled_setting: "misspelled.yaml";
    a_contradiction: "contradiction.yaml";
    a_value_that_is_none: "value.yaml";
    a_dump_that_somebody_edited: "edited.yaml";
}

#[test]
fn a_dump_of_a_newer_karpenter_can_be_read() {
    let shown = config("served.yaml");
    assert!(shown.starts_with("exit 0\n") && shown.contains("30m"), "{shown}");
}

#[test]
fn what_only_launching_needs_may_be_left_out() {
    let shown = config("small.yaml");
    assert!(shown.starts_with("exit 0\n") && shown.contains("WhenCheaper"), "{shown}");
}
