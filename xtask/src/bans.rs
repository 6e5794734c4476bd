//! What pure crates may not call or name, and the clippy.toml files that say so.
//!
//! One table makes both the files and the crate that breaks every ban on purpose (`lints`), so a
//! ban cannot be written down without being tried. Crates from outside that bring randomness or
//! a runtime are kept out altogether by `arrows`.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// One thing that a pure crate may not use.
pub(crate) struct Ban {
    pub(crate) path: &'static str,
    /// A statement that breaks the ban.
    pub(crate) sample: &'static str,
}

/// Bans that share a reason.
struct Group {
    why: &'static str,
    methods: &'static [Ban],
    types: &'static [Ban],
}

const fn ban(path: &'static str, sample: &'static str) -> Ban {
    Ban { path, sample }
}

const GROUPS: &[Group] = &[
    Group {
        why: "a pure crate gets the time as an argument",
        methods: &[
            ban("std::time::Instant::now", "let _ = std::time::Instant::now();"),
            ban(
                "std::time::Instant::elapsed",
                "fn f(t: std::time::Instant) { let _ = t.elapsed(); }",
            ),
            ban("std::time::SystemTime::now", "let _ = std::time::SystemTime::now();"),
            ban(
                "std::time::SystemTime::elapsed",
                "fn f(t: std::time::SystemTime) { let _ = t.elapsed(); }",
            ),
            ban("jiff::Timestamp::now", "let _ = jiff::Timestamp::now();"),
            ban("jiff::Zoned::now", "let _ = jiff::Zoned::now();"),
        ],
        types: &[],
    },
    Group {
        why: "a pure crate does not ask the machine where it is; zones come as an argument",
        methods: &[
            ban("jiff::tz::TimeZone::get", "let _ = jiff::tz::TimeZone::get(\"UTC\");"),
            ban("jiff::tz::TimeZone::system", "let _ = jiff::tz::TimeZone::system();"),
            ban("jiff::tz::TimeZone::try_system", "let _ = jiff::tz::TimeZone::try_system();"),
        ],
        types: &[],
    },
    Group {
        why: "a pure crate gets settings as arguments, not from the environment",
        methods: &[
            ban("std::env::args", "let _ = std::env::args();"),
            ban("std::env::args_os", "let _ = std::env::args_os();"),
            ban("std::env::current_dir", "let _ = std::env::current_dir();"),
            ban("std::env::current_exe", "let _ = std::env::current_exe();"),
            ban("std::env::home_dir", "let _ = std::env::home_dir();"),
            ban("std::env::set_current_dir", "let _ = std::env::set_current_dir(\"/\");"),
            ban("std::env::temp_dir", "let _ = std::env::temp_dir();"),
            ban("std::env::var", "let _ = std::env::var(\"HOME\");"),
            ban("std::env::var_os", "let _ = std::env::var_os(\"HOME\");"),
            ban("std::env::vars", "let _ = std::env::vars();"),
            ban("std::env::vars_os", "let _ = std::env::vars_os();"),
            ban(
                "std::thread::available_parallelism",
                "let _ = std::thread::available_parallelism();",
            ),
        ],
        types: &[],
    },
    Group {
        why: "a pure crate gets bytes, not files; tests have `include_str!`",
        methods: &[
            ban("std::fs::canonicalize", "let _ = std::fs::canonicalize(\"/\");"),
            ban("std::fs::copy", "let _ = std::fs::copy(\"a\", \"b\");"),
            ban("std::fs::create_dir", "let _ = std::fs::create_dir(\"a\");"),
            ban("std::fs::create_dir_all", "let _ = std::fs::create_dir_all(\"a\");"),
            ban("std::fs::exists", "let _ = std::fs::exists(\"a\");"),
            ban("std::fs::hard_link", "let _ = std::fs::hard_link(\"a\", \"b\");"),
            ban("std::fs::metadata", "let _ = std::fs::metadata(\"a\");"),
            ban("std::fs::read", "let _ = std::fs::read(\"a\");"),
            ban("std::fs::read_dir", "let _ = std::fs::read_dir(\"a\");"),
            ban("std::fs::read_link", "let _ = std::fs::read_link(\"a\");"),
            ban("std::fs::read_to_string", "let _ = std::fs::read_to_string(\"a\");"),
            ban("std::fs::remove_dir", "let _ = std::fs::remove_dir(\"a\");"),
            ban("std::fs::remove_dir_all", "let _ = std::fs::remove_dir_all(\"a\");"),
            ban("std::fs::remove_file", "let _ = std::fs::remove_file(\"a\");"),
            ban("std::fs::rename", "let _ = std::fs::rename(\"a\", \"b\");"),
            ban(
                "std::fs::set_permissions",
                "fn f(p: std::fs::Permissions) { let _ = std::fs::set_permissions(\"a\", p); }",
            ),
            ban("std::fs::symlink_metadata", "let _ = std::fs::symlink_metadata(\"a\");"),
            ban("std::fs::write", "let _ = std::fs::write(\"a\", \"b\");"),
            ban(
                "std::path::Path::canonicalize",
                "let _ = std::path::Path::new(\"a\").canonicalize();",
            ),
            ban("std::path::Path::exists", "let _ = std::path::Path::new(\"a\").exists();"),
            ban("std::path::Path::is_dir", "let _ = std::path::Path::new(\"a\").is_dir();"),
            ban("std::path::Path::is_file", "let _ = std::path::Path::new(\"a\").is_file();"),
            ban("std::path::Path::metadata", "let _ = std::path::Path::new(\"a\").metadata();"),
            ban("std::path::Path::read_dir", "let _ = std::path::Path::new(\"a\").read_dir();"),
            ban("std::path::Path::try_exists", "let _ = std::path::Path::new(\"a\").try_exists();"),
        ],
        types: &[
            ban("std::fs::DirBuilder", "let _ = std::fs::DirBuilder::new();"),
            ban("std::fs::File", "let _ = std::fs::File::open(\"a\");"),
            ban("std::fs::OpenOptions", "let _ = std::fs::OpenOptions::new();"),
        ],
    },
    Group {
        why: "a pure crate returns what it has to say",
        methods: &[
            ban("std::io::stderr", "let _ = std::io::stderr();"),
            ban("std::io::stdin", "let _ = std::io::stdin();"),
            ban("std::io::stdout", "let _ = std::io::stdout();"),
        ],
        types: &[],
    },
    Group {
        why: "a pure crate starts nothing and waits for nothing; scoped threads are fine",
        methods: &[
            ban("std::process::abort", "std::process::abort();"),
            ban("std::process::exit", "std::process::exit(1);"),
            ban("std::process::id", "let _ = std::process::id();"),
            ban("std::thread::sleep", "std::thread::sleep(std::time::Duration::ZERO);"),
            ban("std::thread::spawn", "let _ = std::thread::spawn(|| ());"),
        ],
        types: &[
            ban("std::process::Command", "let _ = std::process::Command::new(\"true\");"),
            ban("std::thread::Builder", "let _ = std::thread::Builder::new();"),
        ],
    },
    Group {
        why: "a pure crate does not talk to anyone",
        methods: &[],
        types: &[
            ban("std::net::TcpListener", "let _ = std::net::TcpListener::bind(\"a:1\");"),
            ban("std::net::TcpStream", "let _ = std::net::TcpStream::connect(\"a:1\");"),
            ban("std::net::UdpSocket", "let _ = std::net::UdpSocket::bind(\"a:1\");"),
            ban(
                "std::os::unix::net::UnixDatagram",
                "let _ = std::os::unix::net::UnixDatagram::bind(\"a\");",
            ),
            ban(
                "std::os::unix::net::UnixListener",
                "let _ = std::os::unix::net::UnixListener::bind(\"a\");",
            ),
            ban(
                "std::os::unix::net::UnixStream",
                "let _ = std::os::unix::net::UnixStream::connect(\"a\");",
            ),
        ],
    },
    Group {
        why: "its order differs in every process; use BTreeMap, or rustc_hash where order is not seen",
        methods: &[
            ban("hashbrown::HashMap::new", "let _ = hashbrown::HashMap::<u8, u8>::new();"),
            ban(
                "hashbrown::HashMap::with_capacity",
                "let _ = hashbrown::HashMap::<u8, u8>::with_capacity(1);",
            ),
            ban("hashbrown::HashSet::new", "let _ = hashbrown::HashSet::<u8>::new();"),
            ban(
                "hashbrown::HashSet::with_capacity",
                "let _ = hashbrown::HashSet::<u8>::with_capacity(1);",
            ),
        ],
        types: &[
            ban("std::collections::HashMap", "let _ = std::collections::HashMap::<u8, u8>::new();"),
            ban("std::collections::HashSet", "let _ = std::collections::HashSet::<u8>::new();"),
            ban("std::hash::RandomState", "let _ = std::hash::RandomState::new();"),
        ],
    },
];

/// Every ban with the lint that has to catch it.
pub(crate) fn all() -> impl Iterator<Item = (&'static str, &'static Ban)> {
    GROUPS.iter().flat_map(|group| {
        let methods = group.methods.iter().map(|ban| ("clippy::disallowed_methods", ban));
        let types = group.types.iter().map(|ban| ("clippy::disallowed_types", ban));
        methods.chain(types)
    })
}

/// Settings for every crate; a crate's own file replaces the root's, so they are repeated there.
const EVERYWHERE: &str = "\
# Written by `cargo xtask arrows --write` from xtask/src/bans.rs.

allow-dbg-in-tests = true
allow-print-in-tests = true
allow-unwrap-in-tests = true
";

/// What a crate's clippy.toml has to say.
pub(crate) fn file_text(pure: bool) -> String {
    let mut text = EVERYWHERE.to_owned();
    if pure {
        push_list(&mut text, "disallowed-methods", |group| group.methods);
        push_list(&mut text, "disallowed-types", |group| group.types);
    }
    text
}

fn push_list(text: &mut String, name: &str, bans: fn(&Group) -> &'static [Ban]) {
    text.extend(["\n", name, " = [\n"]);
    for group in GROUPS {
        for ban in bans(group) {
            // Not every pure crate uses every dependency; that the path is right, `lints` sees.
            let elsewhere =
                if ban.path.starts_with("std::") { "" } else { ", allow-invalid = true" };
            let Ban { path, .. } = ban;
            let why = group.why;
            text.extend([
                "    { path = \"",
                path,
                "\", reason = \"",
                why,
                "\"",
                elsewhere,
                " },\n",
            ]);
        }
    }
    text.push_str("]\n");
}

/// Compares the clippy.toml in `dir` with what it has to be, or puts it right.
///
/// Crates that are not pure have none of their own: the one at the root counts.
pub(crate) fn check_file(dir: &str, pure: bool, write: bool) -> Result<Option<String>> {
    let file = Path::new(dir).join("clippy.toml");
    let shown = file.display();
    let wanted = (pure || dir == ".").then(|| file_text(pure));
    let present = match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {shown}")),
    };
    if present == wanted {
        return Ok(None);
    }
    match (wanted, write) {
        (Some(text), true) => {
            fs::write(&file, text).with_context(|| format!("cannot write {shown}"))?;
            println!("wrote {shown}");
            Ok(None)
        }
        (Some(_), false) => Ok(Some(format!(
            "{shown} is not what the bans make of it; `cargo xtask arrows --write` writes it"
        ))),
        (None, _) => Ok(Some(format!("{shown} hides the one at the root; remove it"))),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_file_is_toml_and_has_every_ban_once() {
        let file: toml::Table = file_text(true).parse().unwrap();
        let mut listed = BTreeSet::new();
        for list in ["disallowed-methods", "disallowed-types"] {
            for entry in file[list].as_array().unwrap() {
                assert!(
                    listed.insert(entry["path"].as_str().unwrap().to_owned()),
                    "twice: {entry}"
                );
            }
        }
        assert_eq!(listed.len(), all().count());
    }

    #[test]
    fn crates_that_are_not_pure_have_no_bans() {
        assert!(!file_text(false).contains("disallowed"));
    }
}
