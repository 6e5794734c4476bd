//! How Karpenter decides about random clusters, counted.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use restow_testkit::consolidation::{self, RECIPES, Recipe};

use super::answer::{Answer, Decision, Verdict};
use super::contest::{self, contest};
use super::oracle::Oracle;

pub(crate) const USAGE: &str = "
       restow-differential karpenter --oracle PATH [--clusters N] [--seed S] [--recipe NAME] [--repeat N]
       restow-differential karpenter --compare yes --oracle PATH [--clusters N] [--seed S] [--recipe NAME]
                                     [--repeat N] [--examples N] [--minimise no] [--cluster SEED]
       restow-differential karpenter --question yes --recipe NAME --seed S

karpenter  asks Karpenter's own packages what they would do with N random clusters of every recipe and
           counts the answers; --repeat finds those that depend on chance; --question prints one question
           for the oracle instead; --compare compares its decisions with ours, and prints the first of each
           kind of difference on a cluster as small as it gets; --cluster takes one cluster by the seed that
           is printed with a difference, as --question does";

/// What was asked.
struct Options {
    oracle: Option<PathBuf>,
    question: bool,
    compare: bool,
    examples: usize,
    minimise: bool,
    cluster: Option<u64>,
    clusters: u64,
    seed: u64,
    recipe: Option<&'static Recipe>,
    repeat: u32,
}

fn options(words: &[String]) -> Result<Options, String> {
    let mut options = Options {
        oracle: None,
        question: false,
        compare: false,
        examples: 5,
        minimise: true,
        cluster: None,
        clusters: 100,
        seed: 1,
        recipe: None,
        repeat: 1,
    };
    for pair in words.chunks(2) {
        let [option, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
        let wrong = || format!("{option} does not take {value}");
        match option.as_str() {
            "--oracle" => options.oracle = Some(value.into()),
            "--question" => options.question = value == "yes",
            "--compare" => options.compare = value == "yes",
            "--cluster" => options.cluster = Some(value.parse().map_err(|_| wrong())?),
            "--examples" => options.examples = value.parse().map_err(|_| wrong())?,
            "--minimise" => options.minimise = value == "yes",
            "--clusters" => options.clusters = value.parse().map_err(|_| wrong())?,
            "--seed" => options.seed = value.parse().map_err(|_| wrong())?,
            "--recipe" => options.recipe = Some(Recipe::find(value).ok_or_else(wrong)?),
            "--repeat" => options.repeat = value.parse().map_err(|_| wrong())?,
            _ => return Err(format!("{option} is not understood")),
        }
    }
    Ok(options)
}

/// Asks and counts; whether no question failed.
pub(crate) fn survey(words: &[String]) -> Result<bool, String> {
    let options = options(words)?;
    if options.question {
        let recipe = options.recipe.ok_or("--recipe is missing")?;
        println!("{}", consolidation::cluster(options.seed, recipe).question(&[], options.repeat));
        return Ok(true);
    }
    let program = options.oracle.ok_or("--oracle is missing")?;
    let recipes =
        RECIPES.iter().filter(|one| options.recipe.is_none_or(|own| own.name == one.name));
    if options.compare {
        return contest(&contest::Options {
            oracle: &program,
            clusters: options.clusters,
            seed: options.seed,
            cluster: options.cluster,
            recipes: recipes.collect(),
            repeat: options.repeat,
            examples: options.examples,
            minimise: options.minimise,
        });
    }
    let mut oracle = Oracle::start(&program)?;
    let mut failed = 0;
    for recipe in recipes {
        let mut tally = Tally::default();
        let start = Instant::now();
        for number in 0..options.clusters {
            // Seeds that lie next to each other must not share clusters.
            let seed = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number);
            let cluster = consolidation::cluster(seed, recipe);
            let answer = oracle.ask(&cluster.question(&[], options.repeat))?;
            if let Some(error) = &answer.error {
                println!("recipe {}, cluster {seed}: {error}", recipe.name);
                failed += 1;
            }
            tally.count(&answer);
        }
        let rate = options.clusters as f64 / start.elapsed().as_secs_f64();
        println!("{}: {} clusters, {rate:.0} a second", recipe.name, options.clusters);
        tally.print();
    }
    Ok(failed == 0)
}

/// Answers by kind.
#[derive(Default)]
struct Tally {
    counts: BTreeMap<(&'static str, String), u64>,
}

impl Tally {
    fn add(&mut self, what: &'static str, kind: impl Into<String>, many: usize) {
        *self.counts.entry((what, kind.into())).or_default() += many as u64;
    }

    fn count(&mut self, answer: &Answer) {
        self.add("nodes", "candidates", answer.candidates.len());
        for rejection in &answer.rejected {
            let text = rejection.error.as_ref().or(rejection.message.as_ref());
            let text = text.map_or("(silent)", |text| kind_of(text));
            match &rejection.method {
                None => self.add("rejected", text, 1),
                Some(method) => self.add("left out", format!("{method}: {text}"), 1),
            }
        }
        if let Some(emptiness) = &answer.emptiness {
            let kind = if emptiness.nodes.is_empty() { "none" } else { "delete" };
            self.add("emptiness", kind, 1);
        }
        if let Some(multi) = &answer.multi {
            self.decide("multi", multi);
        }
        for single in &answer.single {
            self.decide("single", single);
        }
    }

    fn decide(&mut self, what: &'static str, own: &Decision) {
        let reason = own.error.as_ref().or(own.message.as_ref());
        let kind = match (own.verdict, reason) {
            (Verdict::Delete, _) => "delete".to_owned(),
            (Verdict::Replace, _) => "replace".to_owned(),
            (Verdict::None, Some(reason)) => format!("none: {}", kind_of(reason)),
            (Verdict::None, None) => "none".to_owned(),
        };
        self.add(what, kind, 1);
        if own.balanced.is_some_and(|balanced| own.verdict != Verdict::None && !balanced.approved) {
            self.add(what, "(of these not approved by Balanced)", 1);
        }
        if !own.others.is_empty() {
            self.add(what, "(of these depend on chance)", 1);
        }
    }

    fn print(&self) {
        for ((what, kind), many) in &self.counts {
            println!("  {many:>6} {what} {kind}");
        }
    }
}

/// A message without the names in it.
fn kind_of(text: &str) -> &str {
    text.split(['(', '"', ',', '=']).next().unwrap_or(text).trim_end_matches([' ', ':'])
}
