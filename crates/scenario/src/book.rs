//! Types and prices: what the document carries, and what it names.

use restow_catalog::{
    Adjustments, Catalog, Discount, Overlay, OverlayPool, PriceBook, Source as CatalogSource, Zone,
    nearest,
};
use restow_model::Snapshot;
use serde_json::{Value, json};

use crate::ReadFile;
use crate::cursor::At;

/// Types and prices, and the zones that they are for.
pub(crate) struct Prices {
    pub(crate) book: PriceBook,
    pub(crate) zones: Vec<Zone>,
}

/// Everything that a document says of prices.
pub(crate) fn prices(spec: &At<'_>, known: &Snapshot, file: &ReadFile<'_>) -> Prices {
    let mut catalog = Catalog::default();
    for at in spec.all("catalog") {
        match load(at.text(), file) {
            Ok(loaded) => catalog = catalog.merge(loaded),
            Err(problem) => at.fail(problem),
        }
    }
    let zones = zones(spec, known, &catalog);
    if let Some(own) = inline(spec, &zones) {
        catalog = catalog.merge(own);
    }
    let adjustments = Adjustments {
        discounts: discounts(spec),
        node_fee: spec.price_of("nodeFee").unwrap_or_default(),
        overrides: Vec::new(),
    };
    let list = catalog.in_zones(&zones);
    let overlays = overlays(spec, known);
    let book = PriceBook::with_overlays(list, adjustments, &overlays, &overlay_pools(known));
    for finding in book.findings() {
        spec.fail(finding.to_string());
    }
    Prices { book, zones }
}

fn load(name: &str, file: &ReadFile<'_>) -> Result<Catalog, String> {
    let source = CatalogSource::parse(name).map_err(|error| error.to_string())?;
    let bytes = match &source {
        CatalogSource::Builtin { .. } => Vec::new(),
        CatalogSource::File(path) => {
            file(path).map_err(|error| format!("cannot read {path}: {error}"))?
        }
        CatalogSource::Url(_) => {
            return Err(
                "a scenario gives the same today and tomorrow: save what is there in a file"
                    .to_owned(),
            );
        }
    };
    source.load(&bytes).map_err(|error| error.to_string())
}

/// The zones of the scenario: those that it names, those of known nodes, those of its types and nodes; or one.
fn zones(spec: &At<'_>, known: &Snapshot, catalog: &Catalog) -> Vec<Zone> {
    let mut zones = restow_catalog::zones_of(known);
    let region = match catalog.regions().as_slice() {
        [one] => Some((*one).into()),
        _ => None,
    };
    let mut add = |name: &str| {
        if zones.iter().all(|own| &*own.name != name) {
            zones.push(Zone { name: name.into(), id: None, region: region.clone() });
        }
    };
    if spec.has("zones") {
        spec.texts_of("zones").into_iter().for_each(&mut add);
    } else {
        for own in spec.all("instanceTypes") {
            own.texts_of("zones").into_iter().for_each(&mut add);
        }
        spec.all("nodes").iter().filter_map(|own| own.text_of("zone")).for_each(&mut add);
    }
    if zones.is_empty() {
        zones.push(Zone { name: "a".into(), id: None, region });
    }
    zones
}

/// Notes a zone that is not among these.
pub(crate) fn check_zone(at: &At<'_>, zones: &[Zone]) -> bool {
    let names: Vec<&str> = zones.iter().map(|zone| &*zone.name).collect();
    if names.contains(&at.text()) {
        return true;
    }
    let near = nearest(at.text(), names.iter().copied(), 1);
    at.fail(match near.as_slice() {
        [near] => format!("no zone is called {:?}; did you mean {near}?", at.text()),
        _ => format!("no zone is called {:?}; there is {}", at.text(), names.join(", ")),
    });
    false
}

/// The types that the document carries. They are written out as our own catalog files are, and read as those are.
fn inline(spec: &At<'_>, zones: &[Zone]) -> Option<Catalog> {
    let given = spec.get("instanceTypes")?;
    let mut types: Vec<Value> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for at in given.items() {
        if let Some(name) = at.get("name") {
            if names.contains(&name.text()) {
                name.fail(format!("there is another instance type {:?}", name.text()));
                continue;
            }
            names.push(name.text());
        }
        let written = instance_type(&at, zones);
        let alone = json!({"types": [written]}).to_string();
        match restow_catalog::source::read(&at.source.name, alone.as_bytes()) {
            Ok(_) => types.push(written),
            Err(error) => {
                let field = error.at.trim_start_matches("types[0]").trim_start_matches('.');
                let of = if field.is_empty() { String::new() } else { format!("{field}: ") };
                at.fail(format!("{of}{}", error.problem));
            }
        }
    }
    let text = json!({"types": types}).to_string();
    restow_catalog::source::read(&spec.source.name, text.as_bytes()).ok()
}

fn instance_type(at: &At<'_>, zones: &[Zone]) -> Value {
    let mut offerings = Vec::new();
    let own: Vec<&str> = match at.get("zones") {
        Some(list) => {
            list.items().iter().filter(|zone| check_zone(zone, zones)).map(At::text).collect()
        }
        None => zones.iter().map(|zone| &*zone.name).collect(),
    };
    for (field, terms) in [("price", "on-demand"), ("spot", "spot")] {
        if let Some(price) = at.get(field) {
            let each = own
                .iter()
                .map(|zone| json!({"capacityType": terms, "zone": zone, "price": price.plain()}));
            offerings.extend(each);
        }
    }
    if let Some(reserved) = at.get("reserved") {
        let price = reserved.get("price").map_or_else(|| "0".to_owned(), |own| own.plain());
        let (name, count) = (at.text_of("name").unwrap_or_default(), reserved.integer_of("count"));
        offerings.extend(own.iter().map(|zone| {
            json!({
                "capacityType": "reserved", "zone": zone, "price": price,
                "reservationId": format!("{name}-{zone}"), "reservationCapacity": count,
            })
        }));
    }
    if ["price", "spot", "reserved"].iter().all(|field| !at.has(field)) {
        at.fail("expected a price: on demand (price), spot or reserved");
    }
    let amount = |field: &str| at.get(field).map(|own| own.plain());
    let mut written = json!({
        "name": at.text_of("name"),
        "arch": at.text_of("arch").unwrap_or("amd64"),
        "os": ["linux"],
        "cpu": amount("cpu"),
        "memory": amount("memory"),
        "offerings": offerings,
    });
    let pods = at.get("pods").map(|own| own.value.clone());
    for (field, value) in [
        ("pods", pods),
        ("ephemeralStorage", amount("ephemeralStorage").map(Value::from)),
        ("resources", at.get("resources").map(|own| own.value.clone())),
        ("labels", at.get("labels").map(|own| own.value.clone())),
    ] {
        if let Some(value) = value {
            written[field] = value;
        }
    }
    if let Some(own) = at.get("allocatable") {
        written["allocatable"] = json!({});
        for field in ["cpu", "memory"] {
            if let Some(amount) = own.get(field) {
                written["allocatable"][field] = amount.plain().into();
            }
        }
    }
    written
}

fn discounts(spec: &At<'_>) -> Vec<Discount> {
    let mut all = Vec::new();
    for at in spec.all("discounts") {
        // As the rules of `--discounts` are read.
        at.fields();
        match serde_json::from_value::<Discount>(at.value.clone()) {
            Ok(own) => all.push(own),
            Err(error) => at.fail(error.to_string()),
        }
    }
    all
}

/// The cluster's NodeOverlays as the price book takes them.
fn overlays(spec: &At<'_>, known: &Snapshot) -> Vec<Overlay> {
    let strings = &known.strings;
    let mut all = Vec::new();
    for own in &known.node_overlays {
        let name = strings.text(own.meta.name);
        let text = |text| Some(strings.text(text)).filter(|text| !text.is_empty());
        let read = || -> Result<Overlay, String> {
            let price = text(own.price).map(str::parse).transpose();
            let adjustment = text(own.price_adjustment).map(str::parse).transpose();
            Ok(Overlay {
                name: name.to_owned(),
                weight: u32::try_from(own.weight).map_err(|error| error.to_string())?,
                requirements: own
                    .requirements
                    .iter()
                    .flat_map(|requirement| requirement.specs(strings))
                    .collect(),
                price: price
                    .map_err(|error: restow_model::price::ParsePriceError| error.to_string())?,
                price_adjustment: adjustment
                    .map_err(|error: restow_catalog::ParseAdjustmentError| error.to_string())?,
                capacity: own
                    .capacity
                    .others
                    .iter()
                    .map(|(name, amount)| (strings.text(*name).to_owned(), *amount))
                    .collect(),
            })
        };
        match read() {
            Ok(overlay) => all.push(overlay),
            Err(problem) => spec.fail(format!("NodeOverlay {name}: {problem}")),
        }
    }
    all
}

fn overlay_pools(known: &Snapshot) -> Vec<OverlayPool> {
    let text = |name| known.text(name).to_owned();
    let pools = known.node_pools.iter().map(|pool| OverlayPool {
        name: text(pool.meta.name),
        labels: pool.template.labels.iter().map(|(key, value)| (text(key), text(value))).collect(),
    });
    pools.collect()
}
