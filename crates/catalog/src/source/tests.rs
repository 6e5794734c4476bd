use super::*;
use crate::{Adjustments, CapacityType, NodeFacts, Offering, PriceBook};
use proptest::prelude::*;
use restow_model::Price;

const AWS_METRICS: &str = "\
# HELP karpenter_cloudprovider_instance_type_offering_price_estimate Estimated hourly price.
# TYPE karpenter_cloudprovider_instance_type_offering_price_estimate gauge
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"on-demand\",instance_type=\"m5.large\",zone=\"us-east-1a\"} 0.09
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"spot\",instance_type=\"m5.large\",zone=\"us-east-1a\",} 3.55e-02 1700000000000
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"spot\",instance_type=\"m5.large\",zone=\"us-east-1b\"} 0
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type=\"spot\",instance_type=\"odd\\\"\\\\name\",zone=\"z\"} NaN
karpenter_cloudprovider_instance_type_offering_available{capacity_type=\"spot\",instance_type=\"m5.large\",zone=\"us-east-1a\"} 0
go_goroutines 12
# EOF
after the end nothing matters
";

fn error(text: &str) -> String {
    read("test", text.as_bytes()).expect_err(text).to_string()
}

#[test]
fn sources_are_told_apart() {
    let builtin = |provider, region: Option<&str>| Source::Builtin {
        provider,
        region: region.map(str::to_owned),
    };
    for (text, expected) in [
        ("aws:us-east-1", builtin(Provider::Aws, Some("us-east-1"))),
        ("azure:eastus", builtin(Provider::Azure, Some("eastus"))),
        ("gcp:europe-west1", builtin(Provider::Gcp, Some("europe-west1"))),
        ("aws", builtin(Provider::Aws, None)),
        ("kwok", builtin(Provider::Kwok, None)),
        ("http://localhost:8080/metrics", Source::Url("http://localhost:8080/metrics".into())),
        ("prices.csv", Source::File("prices.csv".into())),
        ("./a:b.csv", Source::File("./a:b.csv".into())),
        ("C:\\prices.csv", Source::File("C:\\prices.csv".into())),
    ] {
        assert_eq!(Source::parse(text).as_ref(), Ok(&expected), "{text}");
        assert_eq!(expected.name(), text);
    }
    let wrong = Source::parse("azur:eastus").expect_err("no such provider");
    assert_eq!(wrong.to_string(), "azur:eastus: no provider azur, did you mean azure?");
    assert_eq!(Source::parse(""), Err(SourceError::Empty));
    assert_eq!(
        Source::for_node("gce://p/z/n", Some("us-central1")).map(|own| own.name()),
        Some("gcp:us-central1".into())
    );
}

#[test]
fn a_price_list_changes_the_prices_of_known_types_everywhere() {
    let list =
        read("mine.csv", b"instance_type,price\nm5.large,0.05\nhome.made,1\n").expect("reads");
    let aws = Source::parse("aws:us-east-1").and_then(|source| source.load(b"")).expect("built in");
    let merged = aws.merge(list);
    let m5 = merged.get("m5.large").expect("known");
    let on_demand: Vec<&Offering> =
        m5.offerings.iter().filter(|own| own.capacity_type == CapacityType::OnDemand).collect();
    assert_eq!(on_demand.len(), 1);
    assert_eq!(on_demand[0].price, Price::from_nanos(50_000_000));
    assert_eq!(merged.source_of(on_demand[0]).map(|own| own.name.as_str()), Some("mine.csv"));
    assert_eq!(m5.capacity.cpu_milli, 2000);
    assert!(m5.offerings.iter().any(|own| own.capacity_type == CapacityType::Spot));
    assert!(merged.get("home.made").is_some_and(crate::InstanceType::is_price_only));
}

#[test]
fn csv_describes_machines_of_ones_own() {
    let text = "name,cpu,memory,pods,arch,os,zone,capacity_type,price,gpu,example.com/fpga,label:rack\n\
                big,32,128Gi,200,amd64,linux,a,,1.5,2,1,r1\n\
                big,,,,,,b,,1.4,,,\n";
    let catalog = read("mine.csv", text.as_bytes()).expect("reads");
    let big = catalog.get("big").expect("read");
    assert_eq!(
        (big.capacity.cpu_milli, big.memory_bytes, big.capacity.pods),
        (32_000, 128 << 30, 200)
    );
    assert_eq!(big.allocatable, big.capacity);
    assert_eq!(
        (big.capacity.extended("nvidia.com/gpu"), big.capacity.extended("example.com/fpga")),
        (2, 1)
    );
    assert_eq!(
        (big.labels.get("rack"), big.labels.get("kubernetes.io/os")),
        (Some("r1"), Some("linux"))
    );
    assert_eq!(big.offerings.len(), 2);
}

#[test]
fn csv_errors_name_the_place_and_what_was_expected() {
    for (text, expected) in [
        (
            "instance_type,prize\na,1",
            "line 1, column 2: unknown column \"prize\", did you mean price?",
        ),
        ("instance_type,region\na,1", "line 1: expected a column price"),
        ("price\n1", "line 1: expected a column instance_type (or name)"),
        ("name,price,price\na,1,2", "line 1, column 3: column \"price\" comes twice"),
        (
            "name,price\na,1\nb,dear",
            "line 3, column price: expected a price in dollars per hour such as 0.0864, got \"dear\"",
        ),
        ("name,price\na,-1", "line 2, column price: expected a price of at least 0, got \"-1\""),
        ("name,price\na,", "line 2, column price: expected a price, found nothing"),
        ("name,price\n,1", "line 2, column instance_type: expected a name, found nothing"),
        ("name,price\na,1,2", "line 2: expected 2 cells, found 3"),
        ("name,price\na,1\na,2", "line 3: a has two prices for the same terms and place"),
        ("name,price,cpu\na,1,2", "line 2: a has cpu but no memory"),
        (
            "name,price,zone,arch\na,1,x,amd64\na,1,y,arm64",
            "line 3, column arch: a contradicts line 2",
        ),
        (
            "name,price,capacity_type\na,1,Spot",
            "line 2, column capacity_type: expected on-demand, spot or reserved, got \"Spot\"",
        ),
        ("", "line 1: expected a catalog, found nothing"),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
}

#[test]
fn json_says_the_same_as_csv() {
    let json = r#"{"date": "2026-01-02", "types": [{"name": "a", "cpu": 2, "memory": "8Gi", "arch": "amd64",
        "offerings": [{"price": 0.1, "zone": "z"}, {"price": "0.05", "zone": "z", "capacityType": "spot"}]}]}"#;
    let csv = "name,cpu,memory,arch,zone,capacity_type,price\na,2,8Gi,amd64,z,on-demand,0.1\na,,,,z,spot,0.05";
    let (json, csv) =
        (read("x", json.as_bytes()).expect("reads"), read("x", csv.as_bytes()).expect("reads"));
    assert_eq!(json.types(), csv.types());
    assert_eq!(json.sources()[0].date.as_deref(), Some("2026-01-02"));
}

#[test]
fn json_errors_name_the_place_and_what_was_expected() {
    for (text, expected) in [
        ("{\"types\": [{\"nam\": 1}]}", "line 1, column 17: unknown field `nam`"),
        (
            "{\"types\": [{\"name\": \"a\", \"cpu\": \"x\", \"memory\": 1}]}",
            "types[0].cpu: expected a number of CPUs such as 4 or 500m, got \"x\"",
        ),
        (
            "{\"types\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}",
            "types[1].name: a is already types[0]",
        ),
        (
            "{\"types\": [{\"name\": \"a\", \"offerings\": [{\"price\": -1}]}]}",
            "types[0].offerings[0].price: expected a price of at least 0",
        ),
        ("{", "line 1, column 1: EOF while parsing an object"),
    ] {
        assert!(error(text).starts_with(expected), "{text}: {}", error(text));
    }
}

#[test]
fn the_kwok_providers_file_reads_as_the_provider_reads_it() {
    let text = r#"[{"name": "m5.large", "architecture": "amd64", "operatingSystems": ["linux"],
        "resources": {"cpu": "2", "memory": "8Gi", "ephemeral-storage": "20Gi"},
        "offerings": [{"Price": 0.096, "Available": false, "Requirements": [
            {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"]},
            {"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["test-zone-a"]}]}]}]"#;
    let catalog = read("kwok.json", text.as_bytes()).expect("reads");
    let own = catalog.get("m5.large").expect("read");
    assert!(own.offerings[0].available);
    assert_eq!(own.offerings[0].zone.as_deref(), Some("test-zone-a"));
    assert_eq!((own.capacity.pods, own.allocatable.cpu_milli), (110, 1900));
    assert_eq!(own.labels.get("karpenter.kwok.sh/instance-size"), Some("large"));
    assert_eq!(own.labels.get("karpenter.kwok.sh/instance-memory"), Some("8Gi"));
    let old = r#"[{"name": "a", "architecture": "amd64", "operatingSystems": ["linux"], "resources": {"cpu": "1", "memory": "1Gi"},
        "offerings": [{"price": 1, "capacityType": "spot", "zone": "z"}]}]"#;
    assert!(error(old).ends_with("missing field `Requirements`"), "{}", error(old));
}

#[test]
fn metrics_give_prices_and_availability_of_zones() {
    let metrics = read("http://karpenter/metrics", AWS_METRICS.as_bytes()).expect("reads");
    assert_eq!(metrics.types().len(), 1);
    let offerings = &metrics.types()[0].offerings;
    let said: Vec<_> =
        offerings.iter().map(|own| (own.capacity_type, own.price.nanos(), own.available)).collect();
    assert_eq!(
        said,
        [(CapacityType::Spot, 35_500_000, false), (CapacityType::OnDemand, 90_000_000, true)]
    );
    // Fresher than the built-in price, and for this zone.
    let aws = Source::parse("aws:us-east-1").and_then(|source| source.load(b"")).expect("built in");
    let book = PriceBook::new(aws.merge(metrics), Adjustments::default());
    let facts = |zone| NodeFacts {
        instance_type: Some("m5.large"),
        zone: Some(zone),
        region: Some("us-east-1"),
        capacity_type: Some(CapacityType::OnDemand),
        ..NodeFacts::default()
    };
    let price = |zone| book.price_of(&facts(zone)).map(|quote| quote.price.nanos());
    assert_eq!((price("us-east-1a"), price("us-east-1b")), (Ok(90_000_000), Ok(96_000_000)));
}

#[test]
fn metrics_errors_name_the_line() {
    let line = |rest: &str| {
        format!("# x\nkarpenter_cloudprovider_instance_type_offering_price_estimate{rest}\n")
    };
    for (rest, expected) in [
        (" 1", "line 2: expected labels in braces"),
        ("{instance_type=\"a\"} 1", "line 2: expected a label capacity_type"),
        ("{capacity_type=\"x\"} 1", "line 2: expected on-demand, spot or reserved, got \"x\""),
        ("{instance_type=\"a", "line 2: value of label instance_type does not end"),
        ("{instance_type=\"a\",capacity_type=\"spot\"}", "line 2: expected a value"),
        (
            "{instance_type=\"a\",capacity_type=\"spot\"} -1",
            "line 2: expected a price of at least 0, got -1",
        ),
    ] {
        assert_eq!(error(&line(rest)), expected);
    }
    assert!(error("# nothing\n").starts_with("end: expected samples of karpenter_"));
}

/// Valid texts with a piece replaced: far more of the readers runs than on noise.
fn mutated() -> impl Strategy<Value = String> {
    let texts = prop::sample::select(vec![
        AWS_METRICS.to_owned(),
        "name,cpu,memory,zone,price\na,1,1Gi,z,0.1\n\"b\",2,2Gi,\"z\",1e-3\n".to_owned(),
        r#"{"types":[{"name":"a","cpu":"1","memory":"1Gi","offerings":[{"price":0.1,"zone":"z"}]}]}"#.to_owned(),
        r#"[{"name":"a","architecture":"amd64","operatingSystems":["linux"],"resources":{"cpu":"1","memory":"1Gi"},"offerings":[{"Price":1,"Requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]}]}]}]"#.to_owned(),
    ]);
    let piece = prop_oneof![".{0,6}", r#"["{}\[\],:\\=#é\n-]{0,4}"#, "[0-9eE.+-]{0,24}"];
    (texts, any::<prop::sample::Index>(), 0_usize..12, piece).prop_map(|(text, at, cut, piece)| {
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        let end = (at + cut).min(chars.len());
        chars.splice(at..end, piece.chars());
        chars.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(text in prop_oneof![".{0,200}", mutated()]) {
        let _ = (csv::read("t", &text), json::read("t", &text), kwok::read("t", &text), metrics::read("t", &text));
        let _ = (read("t", text.as_bytes()), Source::parse(&text));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read("t", &bytes);
    }

    #[test]
    fn what_a_reader_accepts_is_a_catalog_in_order(text in mutated()) {
        if let Ok(catalog) = read("t", text.as_bytes()) {
            prop_assert!(catalog.types().is_sorted_by(|a, b| a.name < b.name));
            prop_assert_eq!(catalog.clone().merge(catalog.clone()), catalog);
        }
    }
}
