//! Azure VM sizes as Karpenter's Azure provider describes them.

use std::borrow::Cow;

use super::{common_labels, known, signed};
use crate::pack::{PackError, Types};
use crate::{AKS_MAX_PODS, InstanceType, Provider, Shape, Text, aks_allocatable};

/// A size's name without its number of CPUs, `Ds_v5` of `Standard_D4s_v5`: what a family is called.
pub fn series(name: &str) -> String {
    let size = name.strip_prefix("Standard_").unwrap_or(name);
    let (head, tail) =
        size.split_once('_').map_or((size, ""), |(head, _)| (head, &size[head.len()..]));
    let Some(from) = head.find(|c: char| c.is_ascii_digit()) else {
        return size.to_owned();
    };
    let to = head[from..]
        .find(|c: char| !c.is_ascii_digit() && c != '-')
        .map_or(head.len(), |end| from + end);
    format!("{}{}{tail}", &head[..from], &head[to..])
}

/// Whose GPUs a size has, by its name. Karpenter's provider leaves out FPGAs (NP), confidential GPUs (NCC), parts of
/// Radeon cards (NVv4) and NVv2: nothing reports a device on them, so they count as having none.
pub fn gpu_vendor(name: &str) -> Option<&'static str> {
    let size = name.strip_prefix("Standard_").unwrap_or(name);
    let left_out = size.starts_with("NP")
        || size.starts_with("NCC")
        || (size.starts_with("NV") && (size.ends_with("as_v4") || size.ends_with("s_v2")));
    if left_out || !size.starts_with('N') {
        return None;
    }
    Some(if size.contains("MI300X") || size.contains("V710") { "amd" } else { "nvidia" })
}

/// The accelerator in a size's name, `A100` of `Standard_NC24ads_A100_v4`: what the provider labels nodes with.
fn accelerator(name: &str) -> Option<&str> {
    let parts: Vec<&str> = name.split('_').collect();
    match parts.as_slice() {
        ["Standard", _, accelerator, version] if version.starts_with('v') => Some(accelerator),
        _ => None,
    }
}

pub(super) fn types(rows: &Types) -> Result<Vec<InstanceType>, PackError> {
    let names = rows.text("name")?;
    let (families, archs) = (rows.text("family")?, rows.text("arch")?);
    let (vcpu, active) = (signed(rows, "vcpu")?, rows.numbers("active_vcpu")?);
    let (memory, gpus) = (signed(rows, "memory_mib")?, signed(rows, "gpu_count")?);
    let mut types = Vec::with_capacity(vcpu.len());
    for (row, name) in names.iter().enumerate() {
        if vcpu[row] == 0 {
            // Newer than the list of sizes: its nodes have a price, its shape nobody has told.
            types.push(InstanceType {
                provider: Provider::Azure,
                family: Text::Owned(families[row].to_owned()),
                ..InstanceType::price_only(name)
            });
            continue;
        }
        let arch = known(&archs[row]);
        let mut labels = common_labels(name, &arch, "linux");
        let mut add = |key: &'static str, value: String| {
            labels.push((Cow::Borrowed(key), Cow::Owned(value)));
        };
        add("karpenter.azure.com/sku-name", name.to_owned());
        if let Some(letter) = families[row].chars().next() {
            add("karpenter.azure.com/sku-family", letter.to_string());
        }
        add("karpenter.azure.com/sku-series", families[row].to_owned());
        let version = name.rsplit_once("_v").map_or("1", |(_, version)| version);
        if version.bytes().all(|c| c.is_ascii_digit()) {
            add("karpenter.azure.com/sku-version", version.to_owned());
        }
        for key in ["karpenter.azure.com/sku-cpu", "kubernetes.azure.com/sku-cpu"] {
            add(key, vcpu[row].to_string());
        }
        for key in ["karpenter.azure.com/sku-memory", "kubernetes.azure.com/sku-memory"] {
            add(key, memory[row].to_string());
        }
        let vendor = gpu_vendor(name).filter(|_| gpus[row] > 0);
        let gpu_count = vendor.map_or(0, |_| gpus[row]);
        add("karpenter.azure.com/sku-gpu-count", gpu_count.to_string());
        if let Some(vendor) = vendor {
            add("karpenter.azure.com/sku-gpu-manufacturer", vendor.to_owned());
            if let Some(accelerator) = accelerator(name) {
                add("karpenter.azure.com/sku-gpu-name", accelerator.to_owned());
            }
        }
        // Of a constrained-core size the machine sees fewer CPUs than are paid for.
        let cores = active[row].and_then(|cores| i64::try_from(cores).ok()).unwrap_or(vcpu[row]);
        let shape = Shape {
            vcpu: cores,
            memory_mib: memory[row],
            max_pods: AKS_MAX_PODS,
            arm64: arch == "arm64",
            shared_core: false,
        };
        let (mut capacity, mut allocatable) = aks_allocatable(shape);
        let resource = if vendor == Some("amd") { "amd.com/gpu" } else { "nvidia.com/gpu" };
        capacity.set_extended(Cow::Borrowed(resource), gpu_count);
        allocatable.set_extended(Cow::Borrowed(resource), gpu_count);
        types.push(InstanceType {
            name: name.into(),
            provider: Provider::Azure,
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
