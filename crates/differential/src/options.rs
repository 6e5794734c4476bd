//! What the program is asked to do.

use std::path::PathBuf;

use restow_scheduling::Profile;
use restow_testkit::random::Recipe;

use crate::ours::{ALL, Implementation};

const BOTH: &[Profile] = &[Profile::LeastAllocated, Profile::MostAllocated];

pub(crate) const USAGE: &str = "\
Usage: restow-differential scheduler --oracle PATH [--pairs N] [--seed S] [--recipe NAME] [--ours NAME]
                                     [--score least|most|none] [--minimise yes|no] [--examples N]
       restow-differential scheduler --oracle PATH --file FILE [--ours NAME]
                                     [--score least|most|none] [--minimise yes|no]
       restow-differential cluster --recipe NAME --seed S

scheduler  compares feasible nodes and their scores with the oracle's on N pairs of a pod and a
           random cluster, or on the cluster in FILE (a List in JSON); scores are those of
           LeastAllocated and MostAllocated in turns unless --score says otherwise
cluster    prints one random cluster";

/// What to compare, and on how much.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) oracle: PathBuf,
    /// A cluster to look at instead of random ones.
    pub(crate) file: Option<PathBuf>,
    pub(crate) pairs: u64,
    pub(crate) seed: u64,
    /// One recipe instead of all.
    pub(crate) recipe: Option<&'static Recipe>,
    /// What of ours is compared.
    pub(crate) ours: &'static [Implementation],
    /// The profiles whose scores are compared, in turns.
    pub(crate) profiles: &'static [Profile],
    pub(crate) minimise: bool,
    /// How many kinds of differences to show.
    pub(crate) examples: usize,
}

#[derive(Debug)]
pub(crate) enum Command {
    Scheduler(Options),
    Cluster { recipe: &'static Recipe, seed: u64 },
}

impl Command {
    pub(crate) fn parse(words: Vec<String>) -> Result<Self, String> {
        let mut words = words.into_iter();
        let name = words.next().ok_or("what to compare is missing")?;
        let mut given = Given::default();
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} needs a value"))?;
            given.take(&word, &value)?;
        }
        match name.as_str() {
            "scheduler" => Ok(Self::Scheduler(Options {
                oracle: given.oracle.ok_or("--oracle is missing")?,
                file: given.file,
                pairs: given.pairs.unwrap_or(20_000),
                seed: given.seed.unwrap_or(1),
                recipe: given.recipe,
                ours: given.ours.unwrap_or(ALL),
                profiles: given.profiles.unwrap_or(BOTH),
                minimise: given.minimise.unwrap_or(true),
                examples: given.examples.unwrap_or(1),
            })),
            "cluster" => Ok(Self::Cluster {
                recipe: given.recipe.ok_or("--recipe is missing")?,
                seed: given.seed.ok_or("--seed is missing")?,
            }),
            other => Err(format!("there is nothing to do called {other}")),
        }
    }
}

#[derive(Default)]
struct Given {
    oracle: Option<PathBuf>,
    file: Option<PathBuf>,
    pairs: Option<u64>,
    seed: Option<u64>,
    recipe: Option<&'static Recipe>,
    ours: Option<&'static [Implementation]>,
    profiles: Option<&'static [Profile]>,
    minimise: Option<bool>,
    examples: Option<usize>,
}

impl Given {
    fn take(&mut self, option: &str, value: &str) -> Result<(), String> {
        let wrong = || format!("{option} does not take {value}");
        match option {
            "--oracle" => self.oracle = Some(value.into()),
            "--file" => self.file = Some(value.into()),
            "--pairs" => self.pairs = Some(value.parse().map_err(|_| wrong())?),
            "--seed" => self.seed = Some(value.parse().map_err(|_| wrong())?),
            "--recipe" => self.recipe = Some(Recipe::find(value).ok_or_else(wrong)?),
            "--ours" => {
                let at = ALL.iter().position(|one| one.name == value).ok_or_else(wrong)?;
                self.ours = Some(&ALL[at..=at]);
            }
            "--score" => {
                self.profiles = Some(match value {
                    "least" => &BOTH[..1],
                    "most" => &BOTH[1..],
                    "none" => &[],
                    _ => return Err(wrong()),
                });
            }
            "--minimise" => {
                self.minimise = Some(match value {
                    "yes" => true,
                    "no" => false,
                    _ => return Err(wrong()),
                });
            }
            "--examples" => self.examples = Some(value.parse().map_err(|_| wrong())?),
            _ => return Err(format!("{option} is not understood")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Command, String> {
        Command::parse(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_have_defaults() {
        let Command::Scheduler(options) = parse("scheduler --oracle o --seed 7").unwrap() else {
            panic!("the command is scheduler")
        };
        assert_eq!((options.pairs, options.seed, options.minimise), (20_000, 7, true));
        assert_eq!(options.profiles, BOTH);
    }

    #[test]
    fn what_is_missing_or_wrong_is_refused() {
        assert!(parse("").is_err() && parse("scheduler").is_err() && parse("other").is_err());
        assert!(parse("scheduler --oracle o --pairs many").is_err());
        assert!(parse("scheduler --oracle o --ours nobody").is_err());
        assert!(parse("scheduler --oracle o --score best").is_err());
        assert!(parse("cluster --recipe nothing --seed 1").is_err());
        assert!(parse("cluster --recipe mixed --seed").is_err());
    }
}
