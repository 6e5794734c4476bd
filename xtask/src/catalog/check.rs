//! The tables against the lists that they were made from.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Result, bail, ensure};
use restow_catalog::builtin::{from_table, kwok_catalog};
use restow_catalog::pack::{SpotCell, Table};
use restow_catalog::{CapacityType, Provider};
use restow_model::Price;

use super::{list, price};

/// Reads the file back as the program does.
pub(super) fn reads_back(provider: Provider, table: &Table, file: &[u8]) -> Result<()> {
    for region in &table.regions {
        let catalog = from_table(provider, file, Some(&region.name))?;
        for (row, name) in table.types.text("name")?.iter().enumerate() {
            let Some(found) = catalog.get(name) else { bail!("{name} is lost") };
            let of = |capacity_type| {
                let all = found.offerings.iter();
                all.filter(|own| own.capacity_type == capacity_type)
                    .map(|own| own.price)
                    .collect::<BTreeSet<Price>>()
            };
            let expected: BTreeSet<Price> = region.on_demand[row].into_iter().collect();
            ensure!(of(CapacityType::OnDemand) == expected, "{name} in {}", region.name);
            let expected: BTreeSet<Price> = region
                .spot
                .iter()
                .filter_map(|column| match column.cells[row] {
                    SpotCell::Price(price) => Some(price),
                    _ => None,
                })
                .collect();
            ensure!(of(CapacityType::Spot) == expected, "spot of {name} in {}", region.name);
        }
    }
    Ok(())
}

/// The formulas must give what Karpenter's reference page lists.
pub(super) fn aws_allocatable(lists: &Path, tables: &Path) -> Result<()> {
    let catalog = from_table(Provider::Aws, &std::fs::read(tables.join("aws.bin"))?, None)?;
    for row in list(lists, "aws-instance-types.csv")? {
        let Some(found) = catalog.get(&row["name"]) else { bail!("{} is lost", row["name"]) };
        let own = &found.allocatable;
        let listed = |column: &str| row[column].parse::<i64>();
        let same = own.cpu_milli == listed("allocatable_cpu_m")?
            && own.memory_bytes >> 20 == listed("allocatable_memory_mib")?
            && own.ephemeral_bytes >> 30 == listed("allocatable_ephemeral_gib")?
            && own.pods == listed("allocatable_pods")?;
        // Pages before 1.14 were made with other assumptions.
        ensure!(
            same || row["source"] != "karpenter-docs-v1.14",
            "{}: allocatable {own:?} differs from the page",
            row["name"]
        );
    }
    Ok(())
}

/// The formula must give what the KWOK provider's file lists.
pub(super) fn kwok(lists: &Path) -> Result<()> {
    let catalog = kwok_catalog();
    let rows = list(lists, "kwok-instance-types.csv")?;
    ensure!(rows.len() == catalog.types().len(), "the list has {} types", rows.len());
    for row in rows {
        let Some(found) = catalog.get(&row["name"]) else { bail!("{} is lost", row["name"]) };
        let pods: i64 = row["pods"].parse()?;
        ensure!(found.capacity.pods == pods, "{}: pods", row["name"]);
        ensure!(found.offerings.len() == 8, "{}: offerings", row["name"]);
        for offering in &found.offerings {
            let column = match offering.capacity_type {
                CapacityType::Spot => "spot_usd_per_hour",
                _ => "on_demand_usd_per_hour",
            };
            ensure!(price(&row[column])? == Some(offering.price), "{}: {column}", row["name"]);
        }
    }
    Ok(())
}
