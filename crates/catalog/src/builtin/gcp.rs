//! Compute Engine machine types as the public Karpenter provider for GCP describes them.

use std::borrow::Cow;

use super::{common_labels, known, signed};
use crate::pack::{PackError, Types};
use crate::{GKE_MAX_PODS, InstanceType, Provider, Shape, Text, gke_allocatable};

pub(super) fn types(rows: &Types) -> Result<Vec<InstanceType>, PackError> {
    let names = rows.text("name")?;
    let (families, archs) = (rows.text("family")?, rows.text("arch")?);
    let (vcpu, memory) = (signed(rows, "vcpu")?, signed(rows, "memory_mib")?);
    let shared = signed(rows, "shared_core")?;
    let (gpus, tpus) = (signed(rows, "gpu_count")?, signed(rows, "tpu_count")?);
    let gpu_names = rows.text("gpu_name")?;
    let mut types = Vec::with_capacity(vcpu.len());
    for (row, name) in names.iter().enumerate() {
        let (arch, family) = (known(&archs[row]), &families[row]);
        let mut labels = common_labels(name, &arch, "linux");
        let mut add = |key: &'static str, value: String| {
            labels.push((Cow::Borrowed(key), Cow::Owned(value)));
        };
        let parts: Vec<&str> = name.split('-').collect();
        let letters = family.bytes().take_while(u8::is_ascii_alphabetic).count();
        let generation = family[letters..].bytes().take_while(u8::is_ascii_digit).count();
        add("karpenter.k8s.gcp/instance-category", family[..letters].to_owned());
        add("karpenter.k8s.gcp/instance-family", family.to_owned());
        add(
            "karpenter.k8s.gcp/instance-generation",
            family[letters..letters + generation].to_owned(),
        );
        if let Some(shape) = parts.get(1) {
            add("karpenter.k8s.gcp/instance-shape", (*shape).to_owned());
        }
        // `c4-standard-4-lssd` has its size before the last part.
        let size = parts.len().checked_sub(if parts.len() > 3 { 2 } else { 1 });
        if let Some(size) = size.and_then(|at| parts.get(at)) {
            add("karpenter.k8s.gcp/instance-size", (*size).to_owned());
        }
        add("karpenter.k8s.gcp/instance-cpu", vcpu[row].to_string());
        add("karpenter.k8s.gcp/instance-memory", memory[row].to_string());
        if gpus[row] > 0 {
            add("karpenter.k8s.gcp/instance-gpu-count", gpus[row].to_string());
            if !gpu_names[row].is_empty() {
                add("karpenter.k8s.gcp/instance-gpu-name", gpu_names[row].to_owned());
                add("cloud.google.com/gke-accelerator", gpu_names[row].to_owned());
            }
        }
        let shape = Shape {
            vcpu: vcpu[row],
            memory_mib: memory[row],
            max_pods: GKE_MAX_PODS,
            arm64: arch == "arm64",
            shared_core: shared[row] > 0,
        };
        let (mut capacity, mut allocatable) = gke_allocatable(shape);
        for (resource, count) in [("nvidia.com/gpu", gpus[row]), ("google.com/tpu", tpus[row])] {
            capacity.set_extended(Cow::Borrowed(resource), count);
            allocatable.set_extended(Cow::Borrowed(resource), count);
        }
        types.push(InstanceType {
            name: name.into(),
            provider: Provider::Gcp,
            family: Text::Owned(family.to_owned()),
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
