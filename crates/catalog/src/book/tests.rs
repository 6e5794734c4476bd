use restow_model::{Operator, RequirementSpec};

use super::*;
use crate::CapacityType::{OnDemand, Reserved, Spot};
use crate::{Adjustment, Basis, NodeFacts, Resources, SourceInfo, Unpriced, Zone};
use proptest::prelude::*;

fn dollars(text: &str) -> Price {
    text.parse().expect("a price")
}

/// Two types in two zones, on demand for 1 and 2 dollars, spot for a half of it.
fn catalog() -> Catalog {
    let types = [("m5.large", "1", "0.5"), ("c5.large", "2", "1")].map(|(name, price, spot)| {
        let mut own = InstanceType::price_only(name);
        own.capacity = Resources { cpu_milli: 2000, pods: 10, ..Resources::default() };
        for zone in ["a", "b"] {
            for (terms, price) in [(OnDemand, price), (Spot, spot)] {
                let mut offering = Offering::new(terms, dollars(price));
                offering.zone = Some(zone.into());
                own.offerings.push(offering);
            }
        }
        own
    });
    Catalog::new(SourceInfo::named("test"), types.into())
}

fn node<'a>(name: &'a str, zone: &'a str, terms: crate::CapacityType) -> NodeFacts<'a> {
    NodeFacts {
        instance_type: Some(name),
        zone: Some(zone),
        capacity_type: Some(terms),
        ..NodeFacts::default()
    }
}

fn price(book: &PriceBook, facts: NodeFacts<'_>) -> String {
    book.price_of(&facts).map(|quote| quote.price.to_string()).expect("priced")
}

fn adjustments(json: &str) -> Adjustments {
    serde_json::from_str(json).expect("adjustments")
}

fn overlay(name: &str, weight: u32, requirements: &[(&str, &str)]) -> Overlay {
    let requirements = requirements.iter().map(|(key, value)| RequirementSpec {
        key: (*key).to_owned(),
        operator: Operator::In,
        values: vec![(*value).to_owned()],
        min_values: None,
    });
    Overlay {
        name: name.to_owned(),
        weight,
        requirements: requirements.collect(),
        ..Overlay::default()
    }
}

#[test]
fn discounts_multiply_and_the_fee_comes_on_top() {
    let rules = r#"{"discounts": [{"percent": 30}, {"instanceType": "m5.*", "percent": 10},
        {"capacityType": "spot", "percent": 50}], "nodeFee": "0.02"}"#;
    let book = PriceBook::new(catalog(), adjustments(rules));
    let quote = book.price_of(&node("m5.large", "a", OnDemand)).expect("priced");
    assert_eq!((quote.price, quote.list_price), (dollars("0.65"), dollars("1")));
    assert_eq!(price(&book, node("c5.large", "a", OnDemand)), "1.42");
    assert_eq!(price(&book, node("c5.large", "a", Spot)), "0.37");
    assert_eq!(
        book.paid(None).get("m5.large").map(|own| own.offerings[2].price),
        Some(dollars("0.65"))
    );
}

#[test]
fn the_most_specific_override_counts_and_no_discount_touches_it() {
    let mut rules = adjustments(r#"{"discounts": [{"percent": 50}]}"#);
    rules.overrides = ["m5.large=0.9", "m5.large/a=0.8", "m5.large/a/spot=0.1", "new.type=3"]
        .map(|text| text.parse().expect("an override"))
        .into();
    let book = PriceBook::new(catalog(), rules);
    assert_eq!(price(&book, node("m5.large", "b", OnDemand)), "0.9");
    assert_eq!(price(&book, node("m5.large", "a", OnDemand)), "0.8");
    assert_eq!(price(&book, node("m5.large", "a", Spot)), "0.1");
    assert_eq!(price(&book, node("new.type", "a", OnDemand)), "3");
    assert_eq!(price(&book, node("c5.large", "a", OnDemand)), "1");
    assert_eq!(book.overrides_of_unknown_types().count(), 1);
    let basis = book.price_of(&node("m5.large", "a", Spot)).map(|quote| quote.basis);
    assert_eq!(basis, Ok(Basis::Override));
}

#[test]
fn an_override_for_a_zone_is_an_offering_of_that_zone() {
    let wide = Catalog::new(
        SourceInfo::named("test"),
        vec![InstanceType {
            offerings: vec![Offering::new(OnDemand, dollars("1"))],
            ..InstanceType::price_only("m5.large")
        }],
    );
    let rules = Adjustments {
        overrides: vec!["m5.large/a=0.4".parse().expect("an override")],
        ..Adjustments::default()
    };
    let book = PriceBook::new(wide, rules);
    let offerings = &book.paid(None).types()[0].offerings;
    let said: Vec<_> = offerings.iter().map(|own| (own.zone.as_deref(), own.price)).collect();
    assert_eq!(said, [(None, dollars("1")), (Some("a"), dollars("0.4"))]);
}

#[test]
fn the_heaviest_overlay_decides_and_of_equals_the_last_name_comes_first() {
    let mut heavy = overlay("heavy", 10, &[("topology.kubernetes.io/zone", "a")]);
    heavy.price = Some(dollars("0.1"));
    let mut light = overlay("light", 1, &[("node.kubernetes.io/instance-type", "m5.large")]);
    light.price_adjustment = "-50%".parse().ok();
    let book = PriceBook::with_overlays(catalog(), Adjustments::default(), &[light, heavy], &[]);
    assert_eq!(price(&book, node("m5.large", "a", OnDemand)), "0.1");
    assert_eq!(price(&book, node("m5.large", "b", OnDemand)), "0.5");
    assert_eq!(price(&book, node("c5.large", "b", OnDemand)), "2");
    assert_eq!(book.findings(), []);

    let mut first = overlay("first", 1, &[("karpenter.sh/capacity-type", "spot")]);
    first.price = Some(dollars("0.2"));
    let mut last = overlay("last", 1, &[("topology.kubernetes.io/zone", "a")]);
    last.price = Some(dollars("0.3"));
    let book = PriceBook::with_overlays(catalog(), Adjustments::default(), &[first, last], &[]);
    // `last` comes first and `first` is not applied at all, not even where they do not meet.
    assert_eq!(price(&book, node("m5.large", "a", Spot)), "0.3");
    assert_eq!(price(&book, node("m5.large", "b", Spot)), "0.5");
    assert_eq!(
        book.findings(),
        [OverlayFinding::Conflict {
            overlay: "first".into(),
            with: "last".into(),
            instance_type: "c5.large".into(),
            resource: None,
        }]
    );
}

#[test]
fn an_overlay_may_be_about_one_pool_and_add_devices() {
    let mut own = overlay("own", 0, &[("karpenter.sh/nodepool", "gpu")]);
    own.price_adjustment = "+0.25".parse().ok();
    own.capacity = vec![("example.com/fpga".into(), 2)];
    let pools = ["gpu", "web"].map(|name| OverlayPool { name: name.into(), labels: Vec::new() });
    let book = PriceBook::with_overlays(catalog(), Adjustments::default(), &[own], &pools);
    let on = |pool| NodeFacts { node_pool: Some(pool), ..node("m5.large", "a", OnDemand) };
    assert_eq!((price(&book, on("gpu")), price(&book, on("web"))), ("1.25".into(), "1".into()));
    let devices = |pool| book.paid(Some(pool)).types()[0].capacity.extended("example.com/fpga");
    assert_eq!((devices("gpu"), devices("web")), (2, 0));
}

#[test]
fn a_broken_overlay_is_reported_and_not_applied() {
    let mut both = overlay("both", 0, &[]);
    both.price = Some(dollars("1"));
    both.price_adjustment = Some(Adjustment::Share(1));
    let mut basic = overlay("basic", 0, &[]);
    basic.capacity = vec![("cpu".into(), 1)];
    let mut values = overlay("values", 0, &[("a", "b")]);
    values.requirements[0].values.clear();
    let book =
        PriceBook::with_overlays(catalog(), Adjustments::default(), &[both, basic, values], &[]);
    let whys: Vec<&str> = book
        .findings()
        .iter()
        .map(|finding| match finding {
            OverlayFinding::Invalid { why, .. } => why.as_str(),
            OverlayFinding::Conflict { .. } => "conflict",
        })
        .collect();
    assert_eq!(
        whys,
        [
            "requirement on a: operator In needs at least one value",
            "has both price and priceAdjustment",
            "capacity sets cpu, which is not an extended resource",
        ]
    );
}

#[test]
fn adjustments_read_as_the_schema_allows() {
    for (text, expected) in [
        ("+15%", Some(Adjustment::Share(150_000))),
        ("-100%", Some(Adjustment::Share(-1_000_000))),
        ("-0.01", Some(Adjustment::Add(dollars("-0.01")))),
        ("+.5", Some(Adjustment::Add(dollars("0.5")))),
        ("-101%", None),
        ("15%", None),
        ("+1e3", None),
        ("+1.", None),
        ("", None),
    ] {
        assert_eq!(text.parse().ok(), expected, "{text}");
    }
    assert_eq!(Adjustment::Add(dollars("-5")).apply(dollars("1")), Price::ZERO);
}

#[test]
fn a_node_that_cannot_be_priced_says_why() {
    let book = PriceBook::new(catalog(), Adjustments::default());
    let reason = |facts: NodeFacts<'_>| book.price_of(&facts).expect_err("unpriced");
    let good = node("m5.large", "a", OnDemand);
    assert_eq!(reason(NodeFacts::default()), Unpriced::NoInstanceType);
    assert_eq!(
        reason(NodeFacts { instance_type: Some("m5.larg"), ..good }).to_string(),
        "instance type m5.larg is not in the catalog, did you mean m5.large, c5.large?"
    );
    assert_eq!(
        reason(NodeFacts { zone: Some("z"), ..good }).to_string(),
        "m5.large has no on-demand price in z"
    );
    assert_eq!(
        reason(NodeFacts { capacity_type: Some(Reserved), ..good }).to_string(),
        "m5.large has no reserved price in a"
    );
    assert!(matches!(
        reason(NodeFacts { capacity_type: None, ..good }),
        Unpriced::NoCapacityType { .. }
    ));
    let labelled = NodeFacts { zone: Some("z"), price_label: Some("0.7"), ..good };
    let quote = book.price_of(&labelled).expect("priced by its label");
    assert_eq!((quote.price, quote.basis), (dollars("0.7"), Basis::NodeLabel));
}

#[test]
fn a_spot_price_never_stands_in_for_an_on_demand_one_nor_the_other_way_round() {
    for (sold, asked) in [(Spot, OnDemand), (OnDemand, Spot), (Reserved, OnDemand)] {
        let types = vec![InstanceType {
            offerings: vec![Offering::new(sold, dollars("1"))],
            ..InstanceType::price_only("a")
        }];
        let book =
            PriceBook::new(Catalog::new(SourceInfo::named("t"), types), Adjustments::default());
        assert!(book.price_of(&node("a", "z", asked)).is_err(), "{sold} for {asked}");
    }
}

#[test]
fn a_catalog_in_zones_has_one_offering_for_each() {
    let mut own = InstanceType::price_only("a");
    own.offerings.push(Offering::new(OnDemand, dollars("1")));
    for (id, price) in [("az1", "0.3"), ("az2", "0.5"), ("az3", "0.4")] {
        let spot = Offering { zone_id: Some(id.into()), ..Offering::new(Spot, dollars(price)) };
        own.offerings.push(spot);
    }
    let catalog = Catalog::new(SourceInfo::named("t"), vec![own]);
    let zones = [("x", Some("az2")), ("y", None)].map(|(name, id)| Zone {
        name: name.into(),
        id: id.map(Into::into),
        region: None,
    });
    let placed = catalog.in_zones(&zones);
    let said: Vec<_> = placed.types()[0]
        .offerings
        .iter()
        .map(|own| (own.capacity_type, own.zone.as_deref(), own.price.to_string(), own.estimated))
        .collect();
    assert_eq!(
        said,
        [
            (Spot, Some("x"), "0.5".to_owned(), false),
            (Spot, Some("y"), "0.4".to_owned(), true),
            (OnDemand, Some("x"), "1".to_owned(), false),
            (OnDemand, Some("y"), "1".to_owned(), false),
        ]
    );
    let book = PriceBook::new(placed, Adjustments::default());
    let basis = book.price_of(&node("a", "y", Spot)).map(|quote| quote.basis);
    assert_eq!(basis, Ok(Basis::MedianOfZones { zones: 0 }));
}

proptest! {
    #[test]
    fn a_price_is_never_negative_and_never_above_list_and_fee_by_discounts_alone(
        percents in proptest::collection::vec(0_u32..=100, 0..5), fee in 0_u32..1000,
    ) {
        let rules: Vec<String> = percents.iter().map(|share| format!(r#"{{"percent": {share}}}"#)).collect();
        let rules = adjustments(&format!(r#"{{"discounts": [{}], "nodeFee": "0.{fee:03}"}}"#, rules.join(",")));
        let fee = rules.node_fee;
        let book = PriceBook::new(catalog(), rules);
        let quote = book.price_of(&node("m5.large", "a", OnDemand)).expect("priced");
        prop_assert!(quote.price >= fee && quote.price <= quote.list_price + fee);
    }
}
