//! Label selectors in kubectl's notation.

use std::fmt;
use std::str::FromStr;

use restow_model::{Labels, Strings};

/// Which labels a node must have: `a=b,c!=d,e in (x,y),f notin (z),g,!h`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    terms: Vec<Term>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Term {
    key: String,
    is: Is,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Is {
    In(Vec<String>),
    NotIn(Vec<String>),
    Present,
    Absent,
}

/// Text that is not a label selector.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a label selector such as a=b,c!=d,e in (x,y),!f, got {text:?}: {what}")]
pub struct ParseSelectorError {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub what: String,
}

impl LabelSelector {
    /// Whether labels satisfy every term.
    pub fn selects(&self, labels: &Labels, strings: &Strings) -> bool {
        self.terms.iter().all(|term| {
            let value = labels.text(&term.key, strings);
            let among = |values: &[String]| {
                value.is_some_and(|value| values.iter().any(|own| own == value))
            };
            match &term.is {
                Is::In(values) => among(values),
                Is::NotIn(values) => !among(values),
                Is::Present => value.is_some(),
                Is::Absent => value.is_none(),
            }
        })
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }
}

impl FromStr for LabelSelector {
    type Err = ParseSelectorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let failed = |what| ParseSelectorError { text: text.to_owned(), what };
        if text.trim().is_empty() {
            return Ok(Self::default());
        }
        let terms = split(text).into_iter().map(parse_term).collect::<Result<_, _>>();
        Ok(Self { terms: terms.map_err(failed)? })
    }
}

/// The terms, which commas outside of parentheses separate.
fn split(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
    .map(str::trim)
    .collect()
}

fn parse_term(term: &str) -> Result<Term, String> {
    if let Some(key) = term.strip_prefix('!') {
        return Ok(Term { key: parse_key(key)?, is: Is::Absent });
    }
    if let Some((key, value)) = term.split_once("!=") {
        return Ok(Term { key: parse_key(key)?, is: Is::NotIn(vec![parse_value(value)?]) });
    }
    if let Some((key, value)) = term.split_once('=') {
        let value = value.strip_prefix('=').unwrap_or(value);
        return Ok(Term { key: parse_key(key)?, is: Is::In(vec![parse_value(value)?]) });
    }
    let Some((key, set)) = term.split_once(char::is_whitespace) else {
        return Ok(Term { key: parse_key(term)?, is: Is::Present });
    };
    let set = set.trim_start();
    let (is, list): (fn(Vec<String>) -> Is, &str) = match set.strip_prefix("notin") {
        Some(list) => (Is::NotIn, list),
        None => (Is::In, set.strip_prefix("in").ok_or_else(|| expected_set(term))?),
    };
    let list = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let values = list.ok_or_else(|| expected_set(term))?.split(',').map(parse_value);
    Ok(Term { key: parse_key(key)?, is: is(values.collect::<Result<_, _>>()?) })
}

fn expected_set(term: &str) -> String {
    format!("{term:?} is not KEY in (VALUES) or KEY notin (VALUES)")
}

fn parse_key(text: &str) -> Result<String, String> {
    let key = text.trim();
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if key.is_empty() || !key.chars().all(name) {
        return Err(format!("{key:?} is not a label's key"));
    }
    Ok(key.to_owned())
}

fn parse_value(text: &str) -> Result<String, String> {
    let value = text.trim();
    if !value.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Err(format!("{value:?} is not a label's value"));
    }
    Ok(value.to_owned())
}

impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, Term { key, is }) in self.terms.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            match is {
                Is::In(values) if values.len() == 1 => write!(f, "{comma}{key}={}", values[0])?,
                Is::NotIn(values) if values.len() == 1 => write!(f, "{comma}{key}!={}", values[0])?,
                Is::In(values) => write!(f, "{comma}{key} in ({})", values.join(","))?,
                Is::NotIn(values) => write!(f, "{comma}{key} notin ({})", values.join(","))?,
                Is::Present => write!(f, "{comma}{key}")?,
                Is::Absent => write!(f, "{comma}!{key}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(selector: &str) -> bool {
        let mut strings = Strings::default();
        let pairs = [("app", "web"), ("example.com/tier", "gold"), ("empty", "")];
        let pairs = pairs.map(|(key, value)| (strings.intern(key), strings.intern(value)));
        selector.parse::<LabelSelector>().unwrap().selects(&Labels::new(pairs.to_vec()), &strings)
    }

    #[test]
    fn all_terms_must_hold() {
        assert!(selects(""));
        assert!(selects("app=web") && selects("app == web") && !selects("app=api"));
        assert!(selects("app!=api") && !selects("app!=web") && selects("none!=x"));
        assert!(selects("app in (api, web)") && !selects("app in (api)"));
        assert!(selects("app notin (api,db)") && !selects("app notin (web)"));
        assert!(selects("none notin (x)") && !selects("none in (x)"));
        assert!(selects("app") && !selects("none") && selects("!none") && !selects("!app"));
        assert!(selects("empty=") && !selects("app="));
        assert!(selects("app in (web),example.com/tier=gold,!none"));
        assert!(!selects("app in (web),example.com/tier=silver"));
    }

    #[test]
    fn what_is_no_selector_is_refused_with_its_reason() {
        for bad in ["=b", "a=b,", "a in x", "a in (x", "a b", "a=b=c", "a b=c", "!", "a=ö", "a>5"]
        {
            let error = bad.parse::<LabelSelector>().unwrap_err();
            assert_eq!(error.text, bad);
        }
        let error = "a=b,c like (d)".parse::<LabelSelector>().unwrap_err().to_string();
        assert!(error.ends_with(r#""c like (d)" is not KEY in (VALUES) or KEY notin (VALUES)"#));
    }

    #[test]
    fn a_selector_prints_as_it_reads() {
        let text = "a=b,c!=d,e in (x,y),f notin (y,z),g,!h";
        assert_eq!(text.parse::<LabelSelector>().unwrap().to_string(), text);
    }
}
