//! Wire types to the model: every value is parsed once, here, and a bad one is named by its field.

mod karpenter;
mod node;
mod pod;
mod volume;
mod workload;

use std::fmt;
use std::str::FromStr;

use restow_model::requests::Amounts;
use restow_model::{
    Condition, DurationOrNever, Effect, GoDuration, Labels, Match, Meta, Operator, Owner, PodShape,
    Quantity, Requirement, RequirementSpec, Resources, Rounding, Selector, SelectorTerm, Str,
    Strings, Table, Taint, Time, Truth, Uid, Volumes,
};

use crate::wire::meta as wire;
use crate::wire::node::Taint as WireTaint;
use crate::wire::text::{Labels as WireLabels, Quantities, Text};

/// A step on the way to a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A member of an object.
    Key(String),
    /// An element of a list.
    Index(usize),
}

/// The way to a field, such as `spec.containers[1].resources.requests.cpu`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldPath(pub Vec<Step>);

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) if key.contains(['.', '/', '[', ' ', '"']) => {
                    write!(f, "[{key:?}]")?;
                }
                Step::Key(key) if at == 0 => f.write_str(key)?,
                Step::Key(key) => write!(f, ".{key}")?,
            }
        }
        Ok(())
    }
}

/// A value that cannot be what it says, and where it stands in its object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From the field up to the object: the innermost step first.
    steps: Vec<Step>,
    pub(crate) problem: String,
}

impl Fault {
    #[expect(clippy::needless_pass_by_value, reason = "errors, texts and format arguments alike")]
    pub(crate) fn new(problem: impl ToString) -> Self {
        Self { steps: Vec::new(), problem: problem.to_string() }
    }

    /// The same fault, seen from the object that holds `key`.
    pub(crate) fn at(mut self, key: &str) -> Self {
        self.steps.push(Step::Key(key.to_owned()));
        self
    }

    /// The same fault, seen from the list that holds element `index`.
    pub(crate) fn nth(mut self, index: usize) -> Self {
        self.steps.push(Step::Index(index));
        self
    }

    pub(crate) fn path(&self) -> FieldPath {
        FieldPath(self.steps.iter().rev().cloned().collect())
    }
}

pub(crate) type Converted<T> = Result<T, Fault>;

/// Adds the field to a fault on its way out.
pub(crate) trait At<T> {
    fn at(self, key: &str) -> Converted<T>;
}

impl<T> At<T> for Converted<T> {
    fn at(self, key: &str) -> Self {
        self.map_err(|fault| fault.at(key))
    }
}

/// Converts each element; a fault names the element.
pub(crate) fn each<T, U>(
    list: &[T],
    mut convert: impl FnMut(&T) -> Converted<U>,
) -> Converted<Vec<U>> {
    list.iter()
        .enumerate()
        .map(|(at, element)| convert(element).map_err(|fault| fault.nth(at)))
        .collect()
}

/// Reads text by its own rule.
pub(crate) fn parse<T: FromStr<Err: fmt::Display>>(text: &str) -> Converted<T> {
    text.parse().map_err(Fault::new)
}

/// Reads text that may be absent.
pub(crate) fn parse_option<T: FromStr<Err: fmt::Display>>(
    text: Option<&Text<'_>>,
) -> Converted<Option<T>> {
    text.map(|text| parse(text)).transpose()
}

fn one_of(what: &str, got: &str) -> Fault {
    Fault::new(format_args!("expected {what}, got {got:?}"))
}

/// The tables that converted objects refer to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) strings: Strings,
    pub(crate) labels: Table<Labels>,
    pub(crate) owners: Table<Option<Owner>>,
    pub(crate) shapes: Table<PodShape>,
    pub(crate) volumes: Table<Volumes>,
}

/// Whether some decision reads an annotation of this key. Others are dropped: they are large and say nothing to us.
fn is_read(key: &str) -> bool {
    const DOMAINS: [&str; 8] = [
        "karpenter.sh",
        "restow.dev",
        "cluster-autoscaler.kubernetes.io",
        "cluster.x-k8s.io",
        "machine.openshift.io",
        "pv.kubernetes.io",
        "volume.kubernetes.io",
        "storageclass.kubernetes.io",
    ];
    const KEYS: [&str; 4] = [
        "controller.kubernetes.io/pod-deletion-cost",
        "kubernetes.io/config.mirror",
        "eks-node-viewer/instance-price",
        "volume.beta.kubernetes.io/storage-class",
    ];
    let domain = key.split('/').next().unwrap_or_default();
    DOMAINS.iter().any(|known| {
        domain.strip_suffix(known).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }) || KEYS.contains(&key)
}

impl Parts {
    pub(crate) fn str(&mut self, text: &str) -> Str {
        self.strings.intern(text)
    }

    pub(crate) fn strs(&mut self, texts: &[Text<'_>]) -> Vec<Str> {
        texts.iter().map(|text| self.strings.intern(text)).collect()
    }

    pub(crate) fn labels(&mut self, labels: &WireLabels<'_>) -> Labels {
        Labels::new(labels.0.iter().map(|(key, value)| (self.str(key), self.str(value))).collect())
    }

    pub(crate) fn annotations(&mut self, annotations: &WireLabels<'_>) -> Labels {
        let mut kept = Vec::new();
        for (key, value) in annotations.0.iter().filter(|(key, _)| is_read(key)) {
            // The mirror annotation holds a hash of the pod; that it is there is all that matters.
            let value = if &**key == "kubernetes.io/config.mirror" { "" } else { &**value };
            kept.push((self.str(key), self.str(value)));
        }
        Labels::new(kept)
    }

    pub(crate) fn meta(&mut self, meta: &wire::Meta<'_>) -> Converted<Meta> {
        if meta.name.is_empty() {
            return Err(Fault::new("expected a name").at("name").at("metadata"));
        }
        Ok(Meta {
            namespace: self.str(&meta.namespace),
            name: self.str(&meta.name),
            uid: Uid::new(&meta.uid),
            generation: meta.generation.unwrap_or_default(),
            created: parse_option(meta.creation_timestamp.as_ref())
                .at("creationTimestamp")
                .at("metadata")?
                .unwrap_or_default(),
            deleted: parse_option(meta.deletion_timestamp.as_ref())
                .at("deletionTimestamp")
                .at("metadata")?,
            labels: self.labels(&meta.labels),
            annotations: self.annotations(&meta.annotations),
            owner: self.owner(&meta.owner_references),
        })
    }

    /// The controller among the owners.
    pub(crate) fn owner(&mut self, owners: &[wire::OwnerReference<'_>]) -> Option<Owner> {
        let owner = owners.iter().find(|owner| owner.controller == Some(true))?;
        let group = owner.api_version.rsplit_once('/').map_or("", |(group, _)| group);
        Some(Owner {
            group: self.str(group),
            kind: self.str(&owner.kind),
            name: self.str(&owner.name),
            uid: Uid::new(&owner.uid),
        })
    }

    pub(crate) fn conditions(
        &mut self,
        conditions: &[wire::Condition<'_>],
    ) -> Converted<Vec<Condition>> {
        each(conditions, |condition| {
            Ok(Condition {
                kind: self.str(&condition.r#type),
                truth: match &*condition.status {
                    "True" => Truth::True,
                    "False" => Truth::False,
                    "Unknown" | "" => Truth::Unknown,
                    other => return Err(one_of("True, False or Unknown", other).at("status")),
                },
                reason: self.str(condition.reason.as_deref().unwrap_or_default()),
                changed: parse_option(condition.last_transition_time.as_ref())
                    .at("lastTransitionTime")?,
            })
        })
        .at("conditions")
        .at("status")
    }

    pub(crate) fn amounts(&mut self, quantities: &Quantities<'_>) -> Converted<Amounts> {
        let mut amounts = Amounts::default();
        for (name, amount) in &quantities.0 {
            let amount = quantity(amount.0.0.as_ref()).at(name)?.to_whole_milli();
            amounts.set(self.str(name), amount);
        }
        Ok(amounts)
    }

    pub(crate) fn resources(
        &mut self,
        quantities: &Quantities<'_>,
        rounding: Rounding,
    ) -> Converted<Resources> {
        let mut resources = Resources::default();
        for (name, amount) in &quantities.0 {
            let amount = quantity(amount.0.0.as_ref()).at(name)?.to_whole_milli();
            let name = self.str(name);
            resources.set(name, amount, rounding, &self.strings);
        }
        Ok(resources)
    }

    pub(crate) fn selector(
        &mut self,
        selector: Option<&wire::LabelSelector<'_>>,
    ) -> Converted<Option<Selector>> {
        let Some(selector) = selector else { return Ok(None) };
        let mut terms: Vec<SelectorTerm> = selector
            .match_labels
            .0
            .iter()
            .map(|(key, value)| SelectorTerm {
                key: self.str(key),
                operator: Match::In,
                values: vec![self.str(value)],
            })
            .collect();
        terms.extend(
            each(&selector.match_expressions, |term| {
                Ok(SelectorTerm {
                    key: self.str(&term.key),
                    operator: match &*term.operator {
                        "In" => Match::In,
                        "NotIn" => Match::NotIn,
                        "Exists" => Match::Exists,
                        "DoesNotExist" => Match::DoesNotExist,
                        other => {
                            return Err(
                                one_of("In, NotIn, Exists or DoesNotExist", other).at("operator")
                            );
                        }
                    },
                    values: self.strs(&term.values),
                })
            })
            .at("matchExpressions")?,
        );
        Ok(Some(Selector(terms)))
    }

    /// A requirement of a node selector: what the scheduler cannot make sense of matches nothing.
    pub(crate) fn node_requirement(
        &mut self,
        term: &wire::Expression<'_>,
    ) -> Converted<Requirement> {
        let spec = requirement_spec(term)?;
        Ok(if spec.is_readable() {
            Requirement::new(&spec, &mut self.strings)
        } else {
            Requirement::impossible(self.str(&term.key))
        })
    }

    /// Requirements of a pool, a claim or an overlay. The API server takes some that say little, such as `NotIn` without values;
    /// only a comparison with what is no number means nothing at all.
    pub(crate) fn requirements(
        &mut self,
        requirements: &[wire::Expression<'_>],
    ) -> Converted<Vec<Requirement>> {
        each(requirements, |term| {
            let spec = requirement_spec(term)?;
            let compares = matches!(
                spec.operator,
                Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte
            );
            if compares {
                spec.check().map_err(|error| Fault::new(error).at("values"))?;
            }
            Ok(Requirement::new(&spec, &mut self.strings))
        })
        .at("requirements")
    }

    pub(crate) fn taints(&mut self, taints: &[WireTaint<'_>]) -> Converted<Vec<Taint>> {
        each(taints, |taint| {
            Ok(Taint {
                key: self.str(&taint.key),
                value: self.str(&taint.value),
                effect: effect(&taint.effect).at("effect")?,
            })
        })
    }
}

fn requirement_spec(term: &wire::Expression<'_>) -> Converted<RequirementSpec> {
    let operator = match &*term.operator {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        "Gt" => Operator::Gt,
        "Lt" => Operator::Lt,
        "Gte" => Operator::Gte,
        "Lte" => Operator::Lte,
        other => {
            let known = "In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte or Lte";
            return Err(one_of(known, other).at("operator"));
        }
    };
    Ok(RequirementSpec {
        key: normal_key(&term.key).to_owned(),
        operator,
        values: term.values.iter().map(|value| value.to_string()).collect(),
        min_values: term.min_values,
    })
}

/// Old names of well-known labels, which the peer reads as the new ones in requirements. Nodes carry both.
fn normal_key(key: &str) -> &str {
    match key {
        "failure-domain.beta.kubernetes.io/zone" => "topology.kubernetes.io/zone",
        "failure-domain.beta.kubernetes.io/region" => "topology.kubernetes.io/region",
        "beta.kubernetes.io/arch" => "kubernetes.io/arch",
        "beta.kubernetes.io/os" => "kubernetes.io/os",
        "beta.kubernetes.io/instance-type" => "node.kubernetes.io/instance-type",
        other => other,
    }
}

pub(crate) fn quantity(text: &str) -> Converted<Quantity> {
    parse(text)
}

pub(crate) fn effect(text: &str) -> Converted<Effect> {
    match text {
        "NoSchedule" => Ok(Effect::NoSchedule),
        "PreferNoSchedule" => Ok(Effect::PreferNoSchedule),
        "NoExecute" => Ok(Effect::NoExecute),
        other => Err(one_of("NoSchedule, PreferNoSchedule or NoExecute", other)),
    }
}

pub(crate) fn duration_or_never(text: Option<&Text<'_>>) -> Converted<Option<DurationOrNever>> {
    parse_option(text)
}

pub(crate) fn go_duration(text: Option<&Text<'_>>) -> Converted<Option<GoDuration>> {
    parse_option(text)
}

pub(crate) fn time(text: Option<&Text<'_>>) -> Converted<Option<Time>> {
    parse_option(text)
}
