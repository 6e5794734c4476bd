//! Reasons in words: one sentence each, one code, and the numbers that it rests on.

use restow_model::{PodShape, RequirementSpec, Str, Strings};
use restow_scheduling::{PoolClosed, PoolReason, Reason};

use super::phrase;
use super::values::{Values, protocol_name};
use crate::units::count;

/// A reason, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What programs compare.
    pub code: &'static str,
    /// What people read: one sentence without a capital or a full stop.
    pub message: String,
    /// What programs calculate with.
    pub values: Values,
}

/// Puts the reasons of one pod into words.
#[derive(Clone, Copy, Debug)]
pub struct Speaker<'a> {
    strings: &'a Strings,
    shape: Option<&'a PodShape>,
}

impl<'a> Speaker<'a> {
    /// One that knows what the pod asks for, so that it can say what of it is not met.
    pub fn new(strings: &'a Strings, shape: Option<&'a PodShape>) -> Self {
        Self { strings, shape }
    }

    fn text(&self, name: Str) -> &'a str {
        self.strings.text(name)
    }

    /// Why a pod cannot run on a node.
    pub fn reason(&self, reason: &Reason) -> Explained {
        let (message, values) = match reason {
            Reason::Gated { .. }
            | Reason::DynamicResources
            | Reason::NodeGone
            | Reason::Pinned
            | Reason::NodeUnschedulable
            | Reason::UntoleratedTaint { .. }
            | Reason::NodeAffinity { .. }
            | Reason::HostPortTaken { .. }
            | Reason::TooManyPods { .. }
            | Reason::InsufficientResources { .. } => self.of_node(reason),
            Reason::ClaimMissing { .. }
            | Reason::VolumeInUse { .. }
            | Reason::VolumeLimit { .. }
            | Reason::ClaimUnbound { .. }
            | Reason::VolumeAffinity { .. }
            | Reason::VolumeBinding { .. }
            | Reason::VolumeZone { .. } => self.of_storage(reason),
            Reason::SpreadKeyMissing { .. }
            | Reason::SpreadSkew { .. }
            | Reason::AffinityUnmet { .. }
            | Reason::AntiAffinity { .. }
            | Reason::AntiAffinityOfOthers { .. } => self.of_neighbours(reason),
        };
        Explained { code: reason.code(), message, values }
    }

    fn of_node(&self, reason: &Reason) -> (String, Values) {
        match reason {
            Reason::Gated { gate } => {
                let gate = self.text(*gate).to_owned();
                (format!("its scheduling gate {gate} has to be lifted"), Values::Gate { gate })
            }
            Reason::DynamicResources => {
                ("asks for dynamic resources, which are not modelled".to_owned(), Values::None {})
            }
            Reason::Pinned => ("a daemon pod stays on its own node".to_owned(), Values::None {}),
            Reason::NodeUnschedulable => ("cordoned".to_owned(), Values::None {}),
            Reason::UntoleratedTaint { taint } => self.taint(taint),
            Reason::NodeAffinity { key } => self.label(*key),
            Reason::HostPortTaken { port } => (
                format!("port {} is taken", phrase::port(*port, self.strings)),
                Values::Port {
                    port: port.port,
                    protocol: protocol_name(port.protocol),
                    ip: self.text(port.ip).to_owned(),
                },
            ),
            Reason::TooManyPods { allowed } => (
                format!("holds all the {} pods that it may", count(*allowed)),
                Values::Pods { allowed: *allowed },
            ),
            Reason::InsufficientResources { shortages } => {
                let mut short = phrase::shortages(shortages, self.strings);
                let message = phrase::short_by(&short);
                let values = match short.len() {
                    1 => Values::Shortage(short.remove(0)),
                    _ => Values::Shortages { shortages: short },
                };
                (message, values)
            }
            _ => ("being drained".to_owned(), Values::None {}),
        }
    }

    fn of_storage(&self, reason: &Reason) -> (String, Values) {
        if let Reason::VolumeLimit { driver, limit, attached, new } = reason {
            let driver = self.text(*driver).to_owned();
            let message = format!(
                "attaches at most {} of {driver}, has {} and would need {} more",
                phrase::volumes(*limit),
                count(*attached),
                count(*new)
            );
            let values = Values::Volumes { driver, limit: *limit, attached: *attached, new: *new };
            return (message, values);
        }
        let claim = match reason {
            Reason::ClaimMissing { claim }
            | Reason::VolumeInUse { claim }
            | Reason::ClaimUnbound { claim }
            | Reason::VolumeAffinity { claim }
            | Reason::VolumeBinding { claim }
            | Reason::VolumeZone { claim } => self.text(*claim).to_owned(),
            _ => String::new(),
        };
        let message = match reason {
            Reason::ClaimMissing { .. } => {
                format!("claim {claim} or its volume is missing, lost or being deleted")
            }
            Reason::VolumeInUse { .. } => {
                format!("claim {claim} is for one pod at a time, and another uses it")
            }
            Reason::ClaimUnbound { .. } => {
                format!("claim {claim} has no volume yet and does not wait for a pod to get one")
            }
            Reason::VolumeAffinity { .. } => {
                format!("the volume of claim {claim} cannot be reached")
            }
            Reason::VolumeZone { .. } => format!("the volume of claim {claim} is in another zone"),
            _ => format!("no volume fits claim {claim}, and none can be made for it"),
        };
        (message, Values::Claim { claim })
    }

    fn of_neighbours(&self, reason: &Reason) -> (String, Values) {
        let (Reason::SpreadKeyMissing { key }
        | Reason::SpreadSkew { key, .. }
        | Reason::AffinityUnmet { key }
        | Reason::AntiAffinity { key }
        | Reason::AntiAffinityOfOthers { key }) = reason
        else {
            return (String::new(), Values::None {});
        };
        let key = self.text(*key).to_owned();
        let nearby = phrase::in_the_same(&key);
        let message = match reason {
            Reason::SpreadSkew { domain, skew, max_skew, .. } => {
                let domain = self.text(*domain).to_owned();
                let (skew, max_skew) = (*skew, *max_skew);
                let message = format!(
                    "would be {} above the emptiest {}, at most {} allowed ({key}={domain})",
                    count(skew),
                    phrase::domain(&key),
                    count(max_skew),
                );
                return (message, Values::Spread { key, domain, skew, max_skew });
            }
            Reason::SpreadKeyMissing { .. } => {
                format!("without the label {key}, which the pod spreads over")
            }
            Reason::AffinityUnmet { .. } => format!("no pod that it has to be near is {nearby}"),
            Reason::AntiAffinity { .. } => format!("a pod that it has to avoid is {nearby}"),
            _ => format!("a pod that has to avoid it is {nearby}"),
        };
        (message, Values::Topology { key })
    }

    /// Why a pool launches no node for a pod.
    pub fn pool(&self, reason: &PoolReason) -> Explained {
        let (message, values) = match reason {
            PoolReason::Closed(closed) => {
                let message = match closed {
                    PoolClosed::Static => "its number of nodes is fixed",
                    PoolClosed::Deleting => "being deleted",
                    PoolClosed::NotReady => "not ready",
                    PoolClosed::NoInstanceTypes => {
                        "no instance type of the catalog meets its requirements"
                    }
                };
                (message.to_owned(), Values::None {})
            }
            PoolReason::UntoleratedTaint { taint } => self.taint(taint),
            // What no single label decides may be the pod's volumes as well.
            PoolReason::Requirements { key: None } => {
                let message = "launches no node that the pod's affinity and volumes allow";
                (message.to_owned(), Values::None {})
            }
            PoolReason::Requirements { key } => self.label(*key),
            PoolReason::Rule(reason) => return self.reason(reason),
            PoolReason::TooLarge { instance_type, shortages } => {
                let shortages = phrase::shortages(shortages, self.strings);
                let instance_type = self.text(*instance_type).to_owned();
                (
                    format!(
                        "{} on {instance_type}, the closest type",
                        phrase::short_by(&shortages)
                    ),
                    Values::TooLarge { instance_type, shortages },
                )
            }
            PoolReason::LimitReached => {
                ("another node would exceed its limits".to_owned(), Values::None {})
            }
            PoolReason::TooFewValues { key, least } => {
                let key = self.text(*key).to_owned();
                (
                    format!("leaves fewer than {least} values of {key}, its minValues"),
                    Values::MinValues { key, min_values: *least },
                )
            }
            PoolReason::NotAllowed => {
                ("could launch a node, but no more are allowed".to_owned(), Values::None {})
            }
        };
        Explained { code: reason.code(), message, values }
    }

    fn taint(&self, taint: &restow_model::Taint) -> (String, Values) {
        (
            format!("taint {} is not tolerated", phrase::taint(taint, self.strings)),
            Values::Taint {
                key: self.text(taint.key).to_owned(),
                value: self.text(taint.value).to_owned(),
                effect: taint.effect,
            },
        )
    }

    /// What the pod asks of a label, or of labels and names in several ways.
    fn label(&self, key: Option<Str>) -> (String, Values) {
        let Some(key) = key else {
            return ("the pod's node affinity asks for others".to_owned(), Values::None {});
        };
        let spec = self.asked(key);
        let named = match &spec {
            Some(spec) => phrase::requirement(spec),
            None => format!("another {}", self.text(key)),
        };
        let (operator, values) = spec.map(|spec| (spec.operator, spec.values)).unzip();
        let key = self.text(key).to_owned();
        let values = Values::Label { key, operator, values: values.unwrap_or_default() };
        (format!("the pod asks for {named}"), values)
    }

    fn asked(&self, key: Str) -> Option<RequirementSpec> {
        let shape = self.shape?;
        if let Some(value) = shape.node_selector.get(key) {
            return Some(RequirementSpec {
                key: self.text(key).to_owned(),
                operator: restow_model::Operator::In,
                values: vec![self.text(value).to_owned()],
                min_values: None,
            });
        }
        let Some([term]) = shape.node_affinity.as_deref() else { return None };
        let found = term.labels.iter().find(|wanted| wanted.key() == key)?;
        found.specs(self.strings).into_iter().next()
    }

    /// A few words for a reason that follow a count of nodes, without its numbers.
    pub(super) fn brief(&self, reason: &Reason) -> String {
        let text = |name: &Str| self.text(*name);
        match reason {
            Reason::Gated { gate } => format!("gated by {}", text(gate)),
            Reason::DynamicResources => "dynamic resources".to_owned(),
            Reason::NodeGone => "being drained".to_owned(),
            Reason::Pinned => "not its own".to_owned(),
            Reason::NodeUnschedulable => "cordoned".to_owned(),
            Reason::UntoleratedTaint { taint } => {
                format!("taint {}", phrase::taint(taint, self.strings))
            }
            Reason::NodeAffinity { key: None } => "not of its node affinity".to_owned(),
            Reason::NodeAffinity { key: Some(key) } => match self.asked(*key) {
                Some(spec) => format!("not {}", phrase::requirement(&spec)),
                None => format!("another {}", text(key)),
            },
            Reason::HostPortTaken { port } => {
                format!("port {} taken", phrase::port(*port, self.strings))
            }
            Reason::TooManyPods { .. } => "full of pods".to_owned(),
            Reason::InsufficientResources { shortages } => {
                phrase::short_of(&phrase::shortages(shortages, self.strings))
            }
            Reason::ClaimMissing { claim } => format!("claim {} missing", text(claim)),
            Reason::VolumeInUse { claim } => format!("claim {} in use", text(claim)),
            Reason::ClaimUnbound { claim } => format!("claim {} unbound", text(claim)),
            Reason::VolumeBinding { claim } => format!("no volume for {}", text(claim)),
            Reason::VolumeAffinity { claim } | Reason::VolumeZone { claim } => {
                format!("volume of {} elsewhere", text(claim))
            }
            Reason::VolumeLimit { driver, .. } => format!("no more volumes of {}", text(driver)),
            Reason::SpreadKeyMissing { key } => format!("no label {}", text(key)),
            Reason::SpreadSkew { key, .. } => format!("too full by {}", phrase::domain(text(key))),
            Reason::AffinityUnmet { .. } => "no pod to be near".to_owned(),
            Reason::AntiAffinity { .. } => "a pod to avoid".to_owned(),
            Reason::AntiAffinityOfOthers { .. } => "a pod that avoids it".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
