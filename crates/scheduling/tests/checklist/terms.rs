//! What pods say about other pods: affinity and spread.

use restow_model::{NodePolicy, PodTerm, Selector, Spread, Strings};

use super::text;

/// A term of affinity between pods.
#[derive(Clone, Debug)]
pub(crate) struct Term {
    key: String,
    selector: String,
    namespaces: Vec<String>,
    everywhere: bool,
}

/// Pods that a selector selects, in the same domain.
pub(crate) fn term(key: &str, selector: &str) -> Term {
    Term {
        key: key.to_owned(),
        selector: selector.to_owned(),
        namespaces: Vec::new(),
        everywhere: false,
    }
}

impl Term {
    /// In another namespace.
    pub(crate) fn within(mut self, namespace: &str) -> Self {
        self.namespaces.push(namespace.to_owned());
        self
    }

    /// In all namespaces, by an empty namespace selector.
    pub(crate) fn everywhere(mut self) -> Self {
        self.everywhere = true;
        self
    }

    pub(crate) fn build(&self, strings: &mut Strings) -> PodTerm {
        PodTerm {
            topology_key: strings.intern(text::key(&self.key)),
            selector: Some(text::selector(&self.selector, strings)),
            namespaces: self.namespaces.iter().map(|name| strings.intern(name)).collect(),
            namespace_selector: self.everywhere.then(Selector::default),
            match_label_keys: Vec::new(),
            mismatch_label_keys: Vec::new(),
        }
    }
}

/// A spread constraint.
#[derive(Clone, Debug)]
pub(crate) struct SpreadSpec {
    key: String,
    max_skew: i32,
    required: bool,
    selector: Option<String>,
    min_domains: Option<i32>,
    affinity_policy: NodePolicy,
    taints_policy: NodePolicy,
    match_label_keys: Vec<String>,
}

/// A required spread of pods with `app=web`.
pub(crate) fn spread(key: &str, max_skew: i32) -> SpreadSpec {
    SpreadSpec {
        key: key.to_owned(),
        max_skew,
        required: true,
        selector: Some("app=web".to_owned()),
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    }
}

impl SpreadSpec {
    /// Of the pods that a selector selects.
    pub(crate) fn of(mut self, selector: &str) -> Self {
        self.selector = Some(selector.to_owned());
        self
    }

    /// Without a selector.
    pub(crate) fn of_nobody(mut self) -> Self {
        self.selector = None;
        self
    }

    /// Preferred only.
    pub(crate) fn soft(mut self) -> Self {
        self.required = false;
        self
    }

    /// Over so many domains at least.
    pub(crate) fn min_domains(mut self, domains: i32) -> Self {
        self.min_domains = Some(domains);
        self
    }

    /// Whether node affinity decides which nodes count.
    pub(crate) fn affinity(mut self, policy: NodePolicy) -> Self {
        self.affinity_policy = policy;
        self
    }

    /// Whether taints decide which nodes count.
    pub(crate) fn taints(mut self, policy: NodePolicy) -> Self {
        self.taints_policy = policy;
        self
    }

    /// Among pods with the same value of a label.
    pub(crate) fn per(mut self, key: &str) -> Self {
        self.match_label_keys.push(key.to_owned());
        self
    }

    pub(crate) fn build(&self, strings: &mut Strings) -> Spread {
        Spread {
            topology_key: strings.intern(text::key(&self.key)),
            max_skew: self.max_skew,
            required: self.required,
            selector: self.selector.as_ref().map(|own| text::selector(own, strings)),
            min_domains: self.min_domains,
            affinity_policy: self.affinity_policy,
            taints_policy: self.taints_policy,
            match_label_keys: self.match_label_keys.iter().map(|key| strings.intern(key)).collect(),
        }
    }
}
