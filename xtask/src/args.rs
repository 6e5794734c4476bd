//! The options of a task: taken one by one, and what is left over is an error.

use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};

/// Arguments that no one has asked for yet.
pub(crate) struct Args {
    words: Vec<String>,
}

impl Args {
    pub(crate) fn new(words: Vec<String>) -> Self {
        Self { words }
    }

    /// Takes `--name`, and says whether it was there.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != name);
        self.words.len() < before
    }

    /// Takes `--name VALUE` or `--name=VALUE`.
    pub(crate) fn value<T>(&mut self, name: &str) -> Result<Option<T>>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let prefix = format!("{name}=");
        let Some(at) = self.words.iter().position(|word| word == name || word.starts_with(&prefix))
        else {
            return Ok(None);
        };
        let word = self.words.remove(at);
        let text = match word.strip_prefix(&prefix) {
            Some(text) => text.to_owned(),
            None if at < self.words.len() => self.words.remove(at),
            None => bail!("{name} needs a value"),
        };
        let value = text.parse().with_context(|| format!("{name} does not take `{text}`"))?;
        Ok(Some(value))
    }

    /// Takes the first word that is not an option; ask for options first.
    pub(crate) fn positional(&mut self) -> Option<String> {
        let at = self.words.iter().position(|word| !word.starts_with('-'))?;
        Some(self.words.remove(at))
    }

    /// Refuses what nobody took.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(anyhow!("`{word}` is not understood; see `cargo xtask help`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_come_in_any_order_and_form() {
        let mut args = args("cron --runs 10 --list --seed=3");
        assert!(args.flag("--list"));
        assert_eq!(args.value::<u64>("--runs").unwrap(), Some(10));
        assert_eq!(args.value::<u64>("--seed").unwrap(), Some(3));
        assert_eq!(args.value::<u64>("--seconds").unwrap(), None);
        assert_eq!(args.positional().as_deref(), Some("cron"));
        args.finish().unwrap();
    }

    #[test]
    fn a_word_that_nobody_took_is_refused() {
        assert!(args("--qick").finish().is_err());
    }

    #[test]
    fn a_value_that_is_missing_or_wrong_is_refused() {
        assert!(args("--runs").value::<u64>("--runs").is_err());
        assert!(args("--runs many").value::<u64>("--runs").is_err());
    }
}
