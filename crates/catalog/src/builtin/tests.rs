use super::*;
use crate::CapacityType::{OnDemand, Spot};
use crate::{Adjustments, Basis, NodeFacts, PriceBook, Unpriced};

fn catalog(source: &str) -> Catalog {
    let (provider, region) = source.split_once(':').expect("a provider and a region");
    builtin(Provider::from_name(provider).expect("a provider"), Some(region)).expect("built in")
}

fn on_demand(catalog: &Catalog, name: &str) -> Option<Price> {
    let offerings = &catalog.get(name)?.offerings;
    offerings.iter().find(|own| own.capacity_type == OnDemand).map(|own| own.price)
}

#[test]
fn golden_prices_are_what_the_providers_list() {
    for (source, name, price) in [
        ("aws:us-east-1", "m5.large", "0.096"),
        ("aws:us-west-2", "m5.large", "0.096"),
        ("aws:eu-west-1", "m5.large", "0.107"),
        ("aws:ap-south-1", "m5.large", "0.101"),
        ("aws:us-east-1", "m6g.large", "0.077"),
        ("aws:us-east-1", "c5.xlarge", "0.17"),
        ("aws:us-east-1", "r5.2xlarge", "0.504"),
        ("aws:us-east-1", "t3.medium", "0.0416"),
        ("aws:us-east-1", "g4dn.xlarge", "0.526"),
        ("azure:eastus", "Standard_D4s_v5", "0.192"),
        ("azure:eastus", "Standard_D2s_v3", "0.096"),
        ("gcp:us-central1", "n2-standard-4", "0.1942"),
        ("gcp:us-central1", "e2-standard-4", "0.1340"),
    ] {
        let found = on_demand(&catalog(source), name).map(|price| format!("{price:.4}"));
        let expected = format!("{:.4}", price.parse::<Price>().expect("a price"));
        assert_eq!(found, Some(expected), "{source} {name}");
    }
}

#[test]
fn shapes_labels_and_devices_are_those_of_the_providers() {
    let aws = catalog("aws:us-east-1");
    let g4dn = aws.get("g4dn.xlarge").expect("known");
    assert_eq!(
        (g4dn.capacity.cpu_milli, g4dn.memory_bytes >> 20, g4dn.capacity.pods),
        (4000, 16384, 29)
    );
    assert_eq!(g4dn.allocatable.extended("nvidia.com/gpu"), 1);
    for (key, value) in [
        ("node.kubernetes.io/instance-type", "g4dn.xlarge"),
        ("kubernetes.io/arch", "amd64"),
        ("karpenter.k8s.aws/instance-category", "g"),
        ("karpenter.k8s.aws/instance-family", "g4dn"),
        ("karpenter.k8s.aws/instance-generation", "4"),
        ("karpenter.k8s.aws/instance-size", "xlarge"),
        ("karpenter.k8s.aws/instance-gpu-name", "t4"),
        ("karpenter.k8s.aws/instance-gpu-count", "1"),
        ("karpenter.k8s.aws/instance-local-nvme", "125"),
        ("karpenter.k8s.aws/instance-hypervisor", "nitro"),
        ("karpenter.k8s.aws/instance-memory", "16384"),
    ] {
        assert_eq!(g4dn.labels.get(key), Some(value), "{key}");
    }
    assert_eq!(
        aws.get("inf2.24xlarge").expect("known").capacity.extended("aws.amazon.com/neuron"),
        6
    );
    assert_eq!(aws.get("g4ad.xlarge").expect("known").capacity.extended("amd.com/gpu"), 1);
    let azure = catalog("azure:eastus");
    let d4 = azure.get("Standard_D4s_v5").expect("known");
    assert_eq!(d4.labels.get("karpenter.azure.com/sku-family"), Some("D"));
    assert_eq!(d4.labels.get("karpenter.azure.com/sku-version"), Some("5"));
    assert_eq!((&*d4.family, d4.memory_bytes >> 20), ("Ds_v5", 16384));
    let constrained = azure.get("Standard_E8-4s_v5").expect("known");
    assert_eq!((constrained.capacity.cpu_milli, &*constrained.family), (4000, "Es_v5"));
    let a100 = azure.get("Standard_NC24ads_A100_v4").expect("known");
    assert_eq!(a100.labels.get("karpenter.azure.com/sku-gpu-name"), Some("A100"));
    assert_eq!(a100.capacity.extended("nvidia.com/gpu"), 1);
    assert_eq!(
        azure.get("Standard_ND96isr_MI300X_v5").expect("known").capacity.extended("amd.com/gpu"),
        8
    );
    for without in ["Standard_NP10s", "Standard_NV16as_v4", "Standard_NV6s_v2"] {
        let own = azure.get(without).expect("known");
        assert_eq!(own.accelerators().count(), 0, "{without}");
        assert_eq!(own.labels.get("karpenter.azure.com/sku-gpu-count"), Some("0"), "{without}");
    }
    let gcp = catalog("gcp:us-central1");
    assert_eq!(gcp.get("g2-standard-24").expect("known").capacity.extended("nvidia.com/gpu"), 2);
    assert_eq!(
        gcp.get("n2-standard-4").expect("known").labels.get("karpenter.k8s.gcp/instance-family"),
        Some("n2")
    );
}

#[test]
fn a_size_without_a_known_shape_has_a_price_and_holds_nothing() {
    let catalog = catalog("azure:eastus");
    let own = catalog.get("Standard_D4s_v7").expect("priced");
    assert!(own.is_price_only() && !own.offerings.is_empty());
    assert_eq!((own.provider, &*own.family, own.allocatable.pods), (Provider::Azure, "Ds_v7", 0));
}

#[test]
fn azure_series_are_names_without_their_cpus() {
    for (name, expected) in [
        ("Standard_D4s_v5", "Ds_v5"),
        ("Standard_E8-4s_v5", "Es_v5"),
        ("Standard_NC24ads_A100_v4", "NCads_A100_v4"),
        ("Standard_B2ms", "Bms"),
        ("Standard_A1", "A"),
        ("Standard_D4pls_v6", "Dpls_v6"),
        ("odd", "odd"),
    ] {
        assert_eq!(azure_series(name), expected);
    }
}

#[test]
fn every_source_has_its_date_and_loads() {
    let sources = builtin_sources();
    let of = |provider| sources.iter().filter(|own| own.provider == provider).count();
    assert_eq!(
        [Provider::Aws, Provider::Azure, Provider::Gcp, Provider::Kwok].map(of),
        [24, 57, 43, 1]
    );
    for source in sources {
        let loaded = builtin(source.provider, source.region).expect("loads");
        assert_eq!(loaded.sources()[0].date.as_deref(), source.date);
        assert!(loaded.types().iter().any(|own| !own.offerings.is_empty()), "{source:?}");
        assert!(loaded.types().is_sorted_by(|a, b| a.name < b.name));
        for own in loaded.types().iter().filter(|own| !own.is_price_only()) {
            assert!(own.allocatable.memory_bytes < own.capacity.memory_bytes, "{}", own.name);
            assert!(own.offerings.iter().all(|offering| offering.price > Price::ZERO));
        }
    }
}

#[test]
fn a_region_that_is_not_built_in_names_the_nearest() {
    let error = builtin(Provider::Aws, Some("us-est-1")).expect_err("no such region");
    assert_eq!(
        error.to_string(),
        "no built-in prices for aws:us-est-1, did you mean us-east-1, us-west-1, us-east-2?"
    );
    let shapes = builtin(Provider::Aws, None).expect("shapes without prices");
    assert!(shapes.types().iter().all(|own| own.offerings.is_empty()));
    assert!(shapes.get("m5.large").is_some());
}

#[test]
fn bare_metal_has_the_price_of_shared_tenancy() {
    // The generated list has 24.48 for it, the rate of a dedicated host.
    let catalog = catalog("aws:us-east-1");
    let (metal, whole) = (on_demand(&catalog, "m5.metal"), on_demand(&catalog, "m5.24xlarge"));
    assert_eq!(metal, whole);
}

#[test]
fn kwok_types_follow_the_formula() {
    let catalog = builtin(Provider::Kwok, None).expect("built in");
    let own = catalog.get("c-1x-amd64-linux").expect("known");
    assert_eq!(on_demand(&catalog, "c-1x-amd64-linux"), "0.027147483648".parse().ok());
    let spot = own.offerings.iter().find(|own| own.capacity_type == Spot).map(|own| own.price);
    assert_eq!(spot, "0.019003238553599998".parse().ok());
    assert_eq!(
        (own.allocatable.cpu_milli, own.allocatable.memory_bytes),
        (900, (2 << 30) - (10 << 20))
    );
    assert_eq!(own.labels.get("karpenter.kwok.sh/instance-memory"), Some("2Gi"));
}

#[test]
fn a_node_is_priced_by_what_is_known_of_its_zone() {
    let book = PriceBook::new(catalog("aws:us-east-1"), Adjustments::default());
    let node = NodeFacts {
        instance_type: Some("m5.large"),
        zone: Some("us-east-1a"),
        region: Some("us-east-1"),
        capacity_type: Some(OnDemand),
        ..NodeFacts::default()
    };
    let basis = |facts: NodeFacts<'_>| book.price_of(&facts).map(|quote| quote.basis);
    assert_eq!(basis(node), Ok(Basis::RegionWide));
    assert_eq!(basis(NodeFacts { zone_id: Some("use1-az1"), ..node }), Ok(Basis::Exact));
    let spot = NodeFacts { capacity_type: Some(Spot), ..node };
    assert_eq!(basis(NodeFacts { zone_id: Some("use1-az1"), ..spot }), Ok(Basis::Exact));
    assert!(matches!(basis(spot), Ok(Basis::MedianOfZones { zones: 5 })));
    assert!(matches!(
        basis(NodeFacts { zone_id: Some("use1-az99"), ..node }),
        Err(Unpriced::NotOffered { .. })
    ));
    let local = NodeFacts { zone: Some("us-east-1-atl-2a"), ..node };
    assert!(matches!(basis(local), Err(Unpriced::NotOffered { .. })));
    let elsewhere = NodeFacts { region: Some("sa-east-1"), ..node };
    assert!(matches!(basis(elsewhere), Err(Unpriced::UnknownRegion { .. })));
}
