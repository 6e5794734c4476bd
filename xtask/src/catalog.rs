//! `cargo xtask catalog`: condenses public price lists into the tables that come with the program.
//!
//! The lists live outside the repository; their README says where each is from, and `NOTICE` repeats it. The tables
//! are checked by reading them back, and equal lists give equal bytes.

mod check;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use restow_catalog::Provider;
use restow_catalog::builtin::{aws_name_parts, azure_series};
use restow_catalog::pack::{Column, RegionPrices, SpotCell, SpotColumn, Table, Types};
use restow_model::Price;

/// Days that the lists are of, from their README.
const AWS_GENERATED: &str = "2026-07-20";
const AWS_SNAPSHOT: &str = "2026-08-22";
const AZURE_DATE: &str = "2026-06-18";
const AZURE_SPOT_DATE: &str = "2024-08-19";
const GCP_DATE: &str = "2026-08-03";

/// Writes the tables from the lists in `data_dir` (default: `../shared/data`).
pub(crate) fn run(data_dir: Option<PathBuf>) -> Result<()> {
    let lists = data_dir.unwrap_or_else(|| PathBuf::from("../shared/data"));
    ensure!(lists.is_dir(), "{}: no such directory; pass the one with the lists", lists.display());
    let tables = Path::new("crates/catalog/data");
    for (provider, table) in [
        (Provider::Aws, aws(&lists)?),
        (Provider::Azure, azure(&lists)?),
        (Provider::Gcp, gcp(&lists)?),
    ] {
        let file = table.encode()?;
        check::reads_back(provider, &table, &file)?;
        std::fs::write(tables.join(format!("{}.bin", provider.name())), &file)?;
    }
    check::aws_allocatable(&lists, tables)?;
    check::kwok(&lists)
}

/// A list as maps from column to cell.
fn list(lists: &Path, name: &str) -> Result<Vec<BTreeMap<String, String>>> {
    let path = lists.join(name);
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(flate2::read::GzDecoder::new(file))
    } else {
        Box::new(file)
    };
    csv::Reader::from_reader(reader)
        .deserialize()
        .collect::<Result<_, _>>()
        .with_context(|| path.display().to_string())
}

fn price(cell: &str) -> Result<Option<Price>> {
    if cell.is_empty() {
        return Ok(None);
    }
    let price: Price = cell.parse()?;
    ensure!(price > Price::ZERO, "price {cell} is not above zero");
    Ok(Some(price))
}

fn number(cell: &str) -> Result<Option<u64>> {
    if cell.is_empty() {
        return Ok(None);
    }
    cell.parse().map(Some).with_context(|| format!("{cell:?} is not a number"))
}

/// Builds columns row by row, in the order that predicts prices best: families together, small before large.
struct Rows {
    rows: Vec<BTreeMap<String, String>>,
}

impl Rows {
    fn new(mut rows: Vec<BTreeMap<String, String>>) -> Result<Self> {
        let mut sorted = Vec::with_capacity(rows.len());
        for row in rows.drain(..) {
            let key = (row["family"].clone(), number(&row["vcpu"])?, row["name"].clone());
            sorted.push((key, row));
        }
        sorted.sort();
        Ok(Self { rows: sorted.into_iter().map(|(_, row)| row).collect() })
    }

    fn names(&self) -> Vec<&str> {
        self.rows.iter().map(|row| row["name"].as_str()).collect()
    }

    fn text(&self, column: &str) -> Column {
        let cell = |row: &BTreeMap<String, String>| row.get(column).cloned().unwrap_or_default();
        Column::Text(column.to_owned(), self.rows.iter().map(cell).collect())
    }

    fn numbers(&self, column: &str, from: &str) -> Result<Column> {
        let cell =
            |row: &BTreeMap<String, String>| number(row.get(from).map_or("", String::as_str));
        let values = self.rows.iter().map(cell).collect::<Result<_>>()?;
        Ok(Column::Number(column.to_owned(), values))
    }
}

fn aws(lists: &Path) -> Result<Table> {
    let types = list(lists, "aws-instance-types.csv")?;
    for row in &types {
        let (category, generation, size) = aws_name_parts(&row["name"]);
        ensure!(
            (category, generation, size)
                == (row["category"].as_str(), row["generation"].as_str(), row["size"].as_str()),
            "{}: name parts {category:?}, {generation:?}, {size:?} differ from the list",
            row["name"]
        );
    }
    let rows = Rows::new(types)?;
    let names = rows.names();
    let mut columns: Vec<Column> = [
        "name",
        "family",
        "arch",
        "cpu_manufacturer",
        "hypervisor",
        "gpu_name",
        "gpu_manufacturer",
        "accelerator_name",
    ]
    .map(|column| rows.text(column))
    .into();
    for (column, from) in [
        ("vcpu", "vcpu"),
        ("memory_mib", "memory_mib"),
        ("max_pods", "max_pods"),
        ("clock_mhz", "cpu_clock_mhz"),
        ("local_nvme_gb", "local_nvme_gb"),
        ("network_mbps", "network_mbps"),
        ("ebs_mbps", "ebs_mbps"),
        ("gpu_count", "gpu_count"),
        ("gpu_memory_mib", "gpu_memory_mib_each"),
        ("accelerator_count", "accelerator_count"),
        ("pod_eni", "pod_eni"),
        ("efa", "efa"),
    ] {
        columns.push(rows.numbers(column, from)?);
    }

    // Region and type to price; the generated list has dedicated-host rates for bare metal, so there the zones' count.
    let mut on_demand: BTreeMap<(String, String), Price> = BTreeMap::new();
    let mut generated: BTreeSet<String> = BTreeSet::new();
    for row in list(lists, "aws-on-demand-prices.csv")? {
        if row["source"] == "karpenter-generated" {
            generated.insert(row["region"].clone());
        }
        if let Some(price) = price(&row["usd_per_hour"])? {
            on_demand.insert((row["region"].clone(), row["instance_type"].clone()), price);
        }
    }
    let mut spot: BTreeMap<String, BTreeMap<String, BTreeMap<String, SpotCell>>> = BTreeMap::new();
    for row in list(lists, "aws-zone-prices.csv.gz")? {
        let key = (row["region"].clone(), row["instance_type"].clone());
        if let Some(price) = price(&row["on_demand_usd_per_hour"])?
            && (row["instance_type"].contains(".metal") || !on_demand.contains_key(&key))
        {
            on_demand.insert(key, price);
        }
        let cell = price(&row["spot_usd_per_hour"])?.map_or(SpotCell::Unpriced, SpotCell::Price);
        let zones = spot.entry(row["region"].clone()).or_default();
        zones.entry(row["zone_id"].clone()).or_default().insert(row["instance_type"].clone(), cell);
    }
    let regions: BTreeSet<&String> = on_demand.keys().map(|(region, _)| region).collect();
    let regions = regions
        .into_iter()
        .map(|region| {
            let of = |name: &&str| on_demand.get(&(region.clone(), (*name).to_owned())).copied();
            let zones = spot.get(region);
            RegionPrices {
                name: region.clone(),
                date: if generated.contains(region) { AWS_GENERATED } else { AWS_SNAPSHOT }.into(),
                spot_date: zones.map_or("", |_| AWS_SNAPSHOT).into(),
                on_demand: names.iter().map(of).collect(),
                spot: zones
                    .into_iter()
                    .flatten()
                    .map(|(id, cells)| column(id, &names, cells))
                    .collect(),
            }
        })
        .collect();
    Ok(Table { provider: "aws".into(), types: Types { columns }, regions })
}

fn column(zone_id: &str, names: &[&str], cells: &BTreeMap<String, SpotCell>) -> SpotColumn {
    let cell = |name: &&str| cells.get(*name).copied().unwrap_or_default();
    SpotColumn { zone_id: zone_id.to_owned(), cells: names.iter().map(cell).collect() }
}

fn azure(lists: &Path) -> Result<Table> {
    let mut types = list(lists, "azure-instance-types.csv")?;
    let on_demand = list(lists, "azure-on-demand-prices.csv.gz")?;
    // AKS takes no Basic sizes. Sizes that only the prices know are kept for pricing nodes.
    types.retain(|row| row["name"].starts_with("Standard_"));
    let shaped: BTreeSet<String> = types.iter().map(|row| row["name"].clone()).collect();
    let priced: BTreeSet<&String> = on_demand.iter().map(|row| &row["instance_type"]).collect();
    for name in priced.into_iter().filter(|name| !shaped.contains(*name)) {
        let cells = [("name", name.as_str()), ("vcpu", ""), ("active_vcpu", "")];
        types.push(cells.map(|(column, cell)| (column.to_owned(), cell.to_owned())).into());
    }
    for row in &mut types {
        let name = row["name"].clone();
        row.insert("family".into(), azure_series(&name));
        if row["active_vcpu"] == row["vcpu"] {
            row.insert("active_vcpu".into(), String::new());
        }
    }
    let rows = Rows::new(types)?;
    let mut columns = vec![rows.text("name"), rows.text("family"), rows.text("arch")];
    for column in ["vcpu", "active_vcpu", "memory_mib", "gpu_count"] {
        columns.push(rows.numbers(column, column)?);
    }
    // The spot prices are older than the others and stay what they were, under their own date: a ratio of old prices
    // times a new one would be a price that nobody ever paid.
    let spot = list(lists, "azure-spot-prices.csv")?;
    let regions = regional(
        &rows.names(),
        &prices_by_region(&on_demand, "usd_per_hour")?,
        &prices_by_region(&spot, "spot_usd_per_hour")?,
        (AZURE_DATE, AZURE_SPOT_DATE),
    );
    Ok(Table { provider: "azure".into(), types: Types { columns }, regions })
}

fn gcp(lists: &Path) -> Result<Table> {
    let mut types = list(lists, "gcp-instance-types.csv")?;
    for row in &mut types {
        let (gpus, gpu, tpus) = gcp_accelerators(&row["name"], &row["accelerators_in_name"]);
        row.insert("gpu_count".into(), gpus);
        row.insert("gpu_name".into(), gpu.to_owned());
        row.insert("tpu_count".into(), tpus);
        // GKE's rule for shared cores is about E2; the older shared types cannot be nodes.
        let shared = row["shared_cpu"] == "true" && row["family"] == "e2";
        row.insert("shared_core".into(), if shared { "1" } else { "" }.into());
    }
    let rows = Rows::new(types)?;
    let mut columns = vec![rows.text("name"), rows.text("family"), rows.text("arch")];
    columns.push(rows.text("gpu_name"));
    for column in ["vcpu", "memory_mib", "shared_core", "gpu_count", "tpu_count"] {
        columns.push(rows.numbers(column, column)?);
    }
    let prices = list(lists, "gcp-prices.csv.gz")?;
    let regions = regional(
        &rows.names(),
        &prices_by_region(&prices, "on_demand_usd_per_hour")?,
        &prices_by_region(&prices, "spot_usd_per_hour")?,
        (GCP_DATE, GCP_DATE),
    );
    Ok(Table { provider: "gcp".into(), types: Types { columns }, regions })
}

/// GPUs, their name on nodes, and TPU chips of a machine type. The list has what names tell; G2 and G4 are from
/// Google's documentation, where the sizes of G4 with a part of a GPU are left without.
fn gcp_accelerators(name: &str, in_name: &str) -> (String, &'static str, String) {
    let gpu = [
        ("a2-highgpu", "nvidia-tesla-a100"),
        ("a2-megagpu", "nvidia-tesla-a100"),
        ("a2-ultragpu", "nvidia-a100-80gb"),
        ("a3-highgpu", "nvidia-h100-80gb"),
        ("a3-edgegpu", "nvidia-h100-80gb"),
        ("a3-megagpu", "nvidia-h100-mega-80gb"),
        ("a3-ultragpu", "nvidia-h200-141gb"),
        ("a4-highgpu", "nvidia-b200"),
        ("a4x-highgpu", "nvidia-gb200"),
        ("a4x-maxgpu", "nvidia-gb300"),
        ("g2-", "nvidia-l4"),
        ("g4-", "nvidia-rtx-pro-6000"),
    ]
    .into_iter()
    .find(|(prefix, _)| name.starts_with(prefix))
    .map_or("", |(_, gpu)| gpu);
    let count = match name {
        "g2-standard-4" | "g2-standard-8" | "g2-standard-12" | "g2-standard-16"
        | "g2-standard-32" | "g4-standard-48" => "1",
        "g2-standard-24" | "g4-standard-96" => "2",
        "g2-standard-48" | "g4-standard-192" => "4",
        "g2-standard-96" | "g4-standard-384" => "8",
        _ => in_name,
    };
    let chips = name
        .rsplit_once('-')
        .filter(|_| name.starts_with("ct") || name.starts_with("tpu"))
        .and_then(|(_, size)| size.strip_suffix('t'))
        .unwrap_or_default();
    (count.to_owned(), gpu, chips.to_owned())
}

type Prices = BTreeMap<String, BTreeMap<String, Price>>;

fn prices_by_region(rows: &[BTreeMap<String, String>], column: &str) -> Result<Prices> {
    let mut regions = Prices::new();
    for row in rows {
        if let Some(price) = price(&row[column])? {
            let region = regions.entry(row["region"].clone()).or_default();
            region.insert(row["instance_type"].clone(), price);
        }
    }
    Ok(regions)
}

/// Regions in which every zone charges the same.
fn regional(
    names: &[&str],
    on_demand: &Prices,
    spot: &Prices,
    (date, spot_date): (&str, &str),
) -> Vec<RegionPrices> {
    on_demand
        .iter()
        .map(|(region, prices)| {
            let cells = spot.get(region).map(|prices| {
                prices.iter().map(|(name, price)| (name.clone(), SpotCell::Price(*price))).collect()
            });
            RegionPrices {
                name: region.clone(),
                date: date.to_owned(),
                spot_date: cells.as_ref().map_or("", |_| spot_date).to_owned(),
                on_demand: names.iter().map(|name| prices.get(*name).copied()).collect(),
                spot: cells.iter().map(|cells| column("", names, cells)).collect(),
            }
        })
        .collect()
}
