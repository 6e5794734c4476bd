//! Amounts, labels, taints and ports as sentences name them.

use restow_model::{Effect, HostPort, Operator, RequirementSpec, Strings, Taint};
use restow_scheduling::{Resource as Short, Shortage};

use super::values::{ShortageValues, protocol_name};
use crate::fleet::{Resource, Unit};
use crate::units::count;

/// `short by 1.2 cpu and 310Mi memory`.
pub(super) fn short_by(shortages: &[ShortageValues]) -> String {
    format!("short by {}", list(&shortages.iter().map(amount).collect::<Vec<_>>()))
}

/// `short of cpu and memory`.
pub(super) fn short_of(shortages: &[ShortageValues]) -> String {
    let names: Vec<String> = shortages.iter().map(|own| spoken(&own.resource)).collect();
    format!("short of {}", list(&names))
}

fn amount(shortage: &ShortageValues) -> String {
    let ShortageValues { resource, missing, .. } = shortage;
    let amount = match resource.unit {
        // Whole cores hide what is short by a little.
        Unit::MilliCores if *missing < 1000 => format!("{missing}m"),
        Unit::Bytes if *missing < 1024 => format!("{missing} bytes of"),
        _ => resource.format(*missing),
    };
    format!("{amount} {}", spoken(resource))
}

fn spoken(resource: &Resource) -> String {
    match &*resource.name {
        "ephemeral-storage" => "ephemeral storage".to_owned(),
        name => name.to_owned(),
    }
}

/// What is short, with names.
pub(super) fn shortages(shortages: &[Shortage], strings: &Strings) -> Vec<ShortageValues> {
    let name = |resource| match resource {
        Short::Cpu => "cpu",
        Short::Memory => "memory",
        Short::Ephemeral => "ephemeral-storage",
        Short::Other(name) => strings.text(name),
    };
    let values = shortages.iter().map(|short| ShortageValues {
        resource: Resource::new(name(short.resource)),
        requested: short.requested,
        free: short.free,
        missing: short.missing(),
    });
    values.collect()
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `dedicated=gpu:NoSchedule`, `gpu:NoExecute`.
pub(super) fn taint(taint: &Taint, strings: &Strings) -> String {
    let effect = match taint.effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    };
    match strings.text(taint.value) {
        "" => format!("{}:{effect}", strings.text(taint.key)),
        value => format!("{}={value}:{effect}", strings.text(taint.key)),
    }
}

/// `8080/TCP`, `8080/TCP of 10.0.0.1`.
pub(super) fn port(port: HostPort, strings: &Strings) -> String {
    let name = format!("{}/{}", port.port, protocol_name(port.protocol));
    match strings.text(port.ip) {
        "" => name,
        ip => format!("{name} of {ip}"),
    }
}

/// What a label has to be: `disktype=ssd`, `zone in (a, b)`, `no gpu`, `cpus >= 8`.
pub(super) fn requirement(spec: &RequirementSpec) -> String {
    let RequirementSpec { key, operator, values, .. } = spec;
    let (one, all) = (values.first().map_or("", String::as_str), values.join(", "));
    match operator {
        Operator::In if values.len() == 1 => format!("{key}={one}"),
        Operator::In => format!("{key} in ({all})"),
        Operator::NotIn if values.len() == 1 => format!("{key} other than {one}"),
        Operator::NotIn => format!("{key} other than {all}"),
        Operator::Exists => key.clone(),
        Operator::DoesNotExist => format!("no {key}"),
        Operator::Gt => format!("{key} > {one}"),
        Operator::Lt => format!("{key} < {one}"),
        Operator::Gte => format!("{key} >= {one}"),
        Operator::Lte => format!("{key} <= {one}"),
    }
}

/// What nodes with one value of a label are called.
pub(super) fn domain(key: &str) -> &str {
    match key {
        "kubernetes.io/hostname" => "node",
        "topology.kubernetes.io/zone" | "failure-domain.beta.kubernetes.io/zone" => "zone",
        "topology.kubernetes.io/region" | "failure-domain.beta.kubernetes.io/region" => "region",
        key => key,
    }
}

/// `in the same zone`, `on the same node`.
pub(super) fn in_the_same(key: &str) -> String {
    match domain(key) {
        "node" => "on the same node".to_owned(),
        domain => format!("in the same {domain}"),
    }
}

/// `at most 1 volume`, `at most 25 volumes`.
pub(super) fn volumes(number: i64) -> String {
    format!("{} {}", count(number), if number == 1 { "volume" } else { "volumes" })
}
