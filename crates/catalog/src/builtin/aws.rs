//! EC2 instance types as Karpenter's AWS provider describes them.

use std::borrow::Cow;

use super::{known, signed};
use crate::instance_type::label;
use crate::pack::{PackError, Texts, Types};
use crate::{InstanceType, Provider, Shape, Text, eks_allocatable};

/// Category, generation and size of a name: `m`, `5` and `large` of `m5.large`. Empty where a name has none.
pub fn name_parts(name: &str) -> (&str, &str, &str) {
    let (family, size) = name.split_once('.').unwrap_or((name, ""));
    let letters = family.bytes().take_while(u8::is_ascii_lowercase).count();
    let (category, rest) = family.split_at(letters);
    // High-memory machines have their size in front of the generation: `u-6tb1`.
    let rest = rest
        .strip_prefix('-')
        .and_then(|rest| rest.split_once("tb"))
        .map_or(rest, |(_, generation)| generation);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    (category, &rest[..digits], size)
}

/// Where a label's value comes from.
enum Value<'a> {
    Text(&'a Texts),
    Number(&'a [Option<u64>]),
    /// A part of the name.
    Part(fn(&str) -> &str),
    AcceleratorMaker,
}

pub(super) fn types(rows: &Types) -> Result<Vec<InstanceType>, PackError> {
    let names = rows.text("name")?;
    let (families, archs) = (rows.text("family")?, rows.text("arch")?);
    let (vcpu, memory) = (signed(rows, "vcpu")?, signed(rows, "memory_mib")?);
    let max_pods = signed(rows, "max_pods")?;
    let (text, number) =
        (|name| rows.text(name).map(Value::Text), |name| rows.numbers(name).map(Value::Number));
    // In the order of the keys, so that nothing has to be sorted.
    let values = [
        ("karpenter.k8s.aws/instance-accelerator-count", number("accelerator_count")?),
        ("karpenter.k8s.aws/instance-accelerator-manufacturer", Value::AcceleratorMaker),
        ("karpenter.k8s.aws/instance-accelerator-name", text("accelerator_name")?),
        ("karpenter.k8s.aws/instance-category", Value::Part(|name| name_parts(name).0)),
        ("karpenter.k8s.aws/instance-cpu", number("vcpu")?),
        ("karpenter.k8s.aws/instance-cpu-manufacturer", text("cpu_manufacturer")?),
        ("karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz", number("clock_mhz")?),
        ("karpenter.k8s.aws/instance-ebs-bandwidth", number("ebs_mbps")?),
        ("karpenter.k8s.aws/instance-family", text("family")?),
        ("karpenter.k8s.aws/instance-generation", Value::Part(|name| name_parts(name).1)),
        ("karpenter.k8s.aws/instance-gpu-count", number("gpu_count")?),
        ("karpenter.k8s.aws/instance-gpu-manufacturer", text("gpu_manufacturer")?),
        ("karpenter.k8s.aws/instance-gpu-memory", number("gpu_memory_mib")?),
        ("karpenter.k8s.aws/instance-gpu-name", text("gpu_name")?),
        ("karpenter.k8s.aws/instance-hypervisor", text("hypervisor")?),
        ("karpenter.k8s.aws/instance-local-nvme", number("local_nvme_gb")?),
        ("karpenter.k8s.aws/instance-memory", number("memory_mib")?),
        ("karpenter.k8s.aws/instance-network-bandwidth", number("network_mbps")?),
        ("karpenter.k8s.aws/instance-size", Value::Part(|name| name_parts(name).2)),
        (label::ARCH, text("arch")?),
    ];
    let (gpus, accelerators) = (signed(rows, "gpu_count")?, signed(rows, "accelerator_count")?);
    let (pod_enis, efas) = (signed(rows, "pod_eni")?, signed(rows, "efa")?);
    let (makers, engines) = (rows.text("gpu_manufacturer")?, rows.text("accelerator_name")?);
    let mut types = Vec::with_capacity(vcpu.len());
    for (row, name) in names.iter().enumerate() {
        let mut labels = Vec::with_capacity(values.len() + 2);
        for (key, value) in &values {
            let value = match value {
                Value::Text(texts) => known(&texts[row]),
                Value::Number(numbers) => numbers[row]
                    .filter(|number| *number > 0)
                    .map_or(Cow::Borrowed(""), |number| Cow::Owned(number.to_string())),
                Value::Part(part) => known(part(name)),
                Value::AcceleratorMaker => {
                    Cow::Borrowed(accelerator_maker(&engines[row]).unwrap_or(""))
                }
            };
            if !value.is_empty() {
                labels.push((Cow::Borrowed(*key), value));
            }
        }
        labels.push((Cow::Borrowed(label::OS), Cow::Borrowed("linux")));
        labels.push((Cow::Borrowed(label::INSTANCE_TYPE), Cow::Owned(name.to_owned())));
        let arch = known(&archs[row]);
        let shape = Shape {
            vcpu: vcpu[row],
            memory_mib: memory[row],
            max_pods: max_pods[row],
            arm64: arch == "arm64",
            shared_core: false,
        };
        let (mut capacity, mut allocatable) = eks_allocatable(shape);
        for (resource, count) in [
            (gpu_resource(&makers[row]), gpus[row]),
            (accelerator_maker(&engines[row]).and_then(engine_resource), accelerators[row]),
            (Some("vpc.amazonaws.com/pod-eni"), pod_enis[row]),
            (Some("vpc.amazonaws.com/efa"), efas[row]),
        ] {
            if let Some(resource) = resource {
                capacity.set_extended(Cow::Borrowed(resource), count);
                allocatable.set_extended(Cow::Borrowed(resource), count);
            }
        }
        types.push(InstanceType {
            name: name.into(),
            provider: Provider::Aws,
            family: Text::Owned(families[row].to_owned()),
            arch,
            os: vec![Cow::Borrowed("linux")],
            memory_bytes: memory[row] << 20,
            capacity,
            allocatable,
            labels: labels.into_iter().collect(),
            offerings: Vec::new(),
        });
    }
    Ok(types)
}

/// The resource that the maker's device plugin reports.
fn gpu_resource(maker: &str) -> Option<&'static str> {
    match maker {
        "nvidia" => Some("nvidia.com/gpu"),
        "amd" => Some("amd.com/gpu"),
        "habana" => Some("habana.ai/gaudi"),
        _ => None,
    }
}

fn accelerator_maker(name: &str) -> Option<&'static str> {
    match name {
        "" => None,
        name if name.starts_with("qualcomm") => Some("qualcomm"),
        _ => Some("aws"),
    }
}

fn engine_resource(maker: &str) -> Option<&'static str> {
    // Nobody's Karpenter knows a resource name for the Qualcomm cards.
    (maker == "aws").then_some("aws.amazon.com/neuron")
}
