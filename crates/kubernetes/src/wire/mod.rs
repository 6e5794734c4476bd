//! Kubernetes objects as they are written, cut down to the fields that restow reads.
//!
//! Text is borrowed from the input where it can be: a list of pods passes through without copying what is not kept.

#![expect(clippy::struct_field_names, reason = "fields are named as Kubernetes names them")]

pub(crate) mod karpenter;
pub(crate) mod meta;
pub(crate) mod node;
pub(crate) mod pod;
pub(crate) mod text;
pub(crate) mod volume;
pub(crate) mod workload;
