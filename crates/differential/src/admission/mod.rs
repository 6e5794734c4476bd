//! NodePools, as the API server's own code takes or refuses them (the program of `oracle/karpenter`, asked for `admission`).
//!
//! `restow_testkit::node_pools` makes objects that are wrong in every place in every way, one at a time and several at once.
//! `contest` asks the server's code about each of them under our CRD and under Karpenter's, and compares: with what our schema
//! says of the same object in Rust, with what our reader makes of it, and the two CRDs with each other. A check that never
//! refused anything proves nothing, so that is a failure, too.

mod contest;
mod oracle;

use std::path::PathBuf;

pub(crate) const USAGE: &str = "
       restow-differential admission --oracle PATH --crd FILE [--pools N] [--seed S]

admission  compares what the API server's own code refuses of NodePools under our CRD with what restow refuses
           of them in files, and our CRD with Karpenter's: on objects wrong in one place, and N wrong in several";

/// What was asked.
pub(crate) struct Options {
    oracle: PathBuf,
    crd: PathBuf,
    pools: u64,
    seed: u64,
}

/// Whether there is no difference that is not meant.
pub(crate) fn admission(words: &[String]) -> Result<bool, String> {
    let (mut oracle, mut crd, mut pools, mut seed) = (None, None, 2_000, 1);
    for pair in words.chunks(2) {
        let [option, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
        let wrong = |_| format!("{option} does not take {value}");
        match option.as_str() {
            "--oracle" => oracle = Some(value.into()),
            "--crd" => crd = Some(value.into()),
            "--pools" => pools = value.parse().map_err(wrong)?,
            "--seed" => seed = value.parse().map_err(wrong)?,
            _ => return Err(format!("{option} is not understood")),
        }
    }
    let oracle = oracle.ok_or("--oracle is missing")?;
    let crd = crd.ok_or("--crd is missing")?;
    contest::contest(&Options { oracle, crd, pools, seed })
}
