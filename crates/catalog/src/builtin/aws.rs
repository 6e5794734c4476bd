//! EC2 instance types as Karpenter's AWS provider describes them.

use std::borrow::Cow;

use super::{arch, common_labels, signed};
use crate::pack::{PackError, Types};
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

pub(super) fn types(rows: &Types) -> Result<Vec<InstanceType>, PackError> {
    let names = rows.text("name")?;
    let (families, archs) = (rows.text("family")?, rows.text("arch")?);
    let (vcpu, memory) = (signed(rows, "vcpu")?, signed(rows, "memory_mib")?);
    let max_pods = signed(rows, "max_pods")?;
    let texts = [
        ("karpenter.k8s.aws/instance-cpu-manufacturer", rows.text("cpu_manufacturer")?),
        ("karpenter.k8s.aws/instance-hypervisor", rows.text("hypervisor")?),
        ("karpenter.k8s.aws/instance-gpu-name", rows.text("gpu_name")?),
        ("karpenter.k8s.aws/instance-gpu-manufacturer", rows.text("gpu_manufacturer")?),
        ("karpenter.k8s.aws/instance-accelerator-name", rows.text("accelerator_name")?),
    ];
    let numbers = [
        ("karpenter.k8s.aws/instance-cpu", rows.numbers("vcpu")?),
        ("karpenter.k8s.aws/instance-memory", rows.numbers("memory_mib")?),
        ("karpenter.k8s.aws/instance-cpu-sustained-clock-speed-mhz", rows.numbers("clock_mhz")?),
        ("karpenter.k8s.aws/instance-local-nvme", rows.numbers("local_nvme_gb")?),
        ("karpenter.k8s.aws/instance-network-bandwidth", rows.numbers("network_mbps")?),
        ("karpenter.k8s.aws/instance-ebs-bandwidth", rows.numbers("ebs_mbps")?),
        ("karpenter.k8s.aws/instance-gpu-count", rows.numbers("gpu_count")?),
        ("karpenter.k8s.aws/instance-gpu-memory", rows.numbers("gpu_memory_mib")?),
        ("karpenter.k8s.aws/instance-accelerator-count", rows.numbers("accelerator_count")?),
    ];
    let (gpus, accelerators) = (signed(rows, "gpu_count")?, signed(rows, "accelerator_count")?);
    let (pod_enis, efas) = (signed(rows, "pod_eni")?, signed(rows, "efa")?);
    let (makers, engines) = (rows.text("gpu_manufacturer")?, rows.text("accelerator_name")?);
    let mut types = Vec::with_capacity(names.len());
    for (row, name) in names.iter().enumerate() {
        let arch = arch(&archs[row]);
        let (category, generation, size) = name_parts(name);
        let mut labels = common_labels(name, &arch, "linux");
        labels.reserve(20);
        let mut add = |key: &'static str, value: String| {
            labels.push((Cow::Borrowed(key), Cow::Owned(value)));
        };
        add("karpenter.k8s.aws/instance-category", category.to_owned());
        add("karpenter.k8s.aws/instance-family", families[row].clone());
        add("karpenter.k8s.aws/instance-generation", generation.to_owned());
        add("karpenter.k8s.aws/instance-size", size.to_owned());
        for (key, values) in &texts {
            if !values[row].is_empty() {
                add(key, values[row].clone());
            }
        }
        for (key, values) in &numbers {
            if let Some(value) = values[row].filter(|value| *value > 0) {
                add(key, value.to_string());
            }
        }
        if let Some(maker) = accelerator_maker(&engines[row]) {
            add("karpenter.k8s.aws/instance-accelerator-manufacturer", maker.to_owned());
        }
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
            name: name.as_str().into(),
            provider: Provider::Aws,
            family: Text::Owned(families[row].clone()),
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
