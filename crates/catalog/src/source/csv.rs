//! A catalog or a price list as CSV.
//!
//! The first line names the columns, in any order. One row is one offering; rows of the same type must agree on what
//! they say of it, and an empty cell says nothing.
//!
//! | column | meaning |
//! |---|---|
//! | `instance_type` (or `name`) | the type's name; required |
//! | `price` | dollars per hour; required |
//! | `capacity_type` | `on-demand` (also when absent), `spot`, `reserved` |
//! | `region`, `zone`, `zone_id` | where the price holds; absent means everywhere |
//! | `available` | `true` (also when absent) or `false` |
//! | `reservation_id`, `reservation_capacity` | of a capacity reservation |
//! | `cpu`, `memory` | capacity as quantities, `4` and `16Gi`; one needs the other |
//! | `allocatable_cpu`, `allocatable_memory` | what is left for pods; all of it when absent |
//! | `pods` | pods per node, 110 when absent |
//! | `ephemeral_storage` | local storage, `20Gi` |
//! | `arch`, `os` | `amd64`; `linux`, several separated by `;` |
//! | `provider`, `family` | for filters and discounts |
//! | `gpu` | how many `nvidia.com/gpu` |
//! | any name with a `/` | how much of that extended resource |
//! | `label:KEY` | a label on the type's nodes |
//!
//! With `instance_type` and `price` alone it is a price list: it changes the prices of types that an earlier source
//! describes, and prices nodes of types that none does.

use std::collections::BTreeMap;
use std::sync::Arc;

use csv::{ReaderBuilder, StringRecord, Trim};

use super::draft::{self, Draft};
use super::{ReadError, or_nearest};
use crate::text::nearest;
use crate::{CapacityType, Catalog, Offering, Reservation, SourceInfo};

const COLUMNS: [&str; 22] = [
    "instance_type",
    "name",
    "price",
    "capacity_type",
    "region",
    "zone",
    "zone_id",
    "available",
    "reservation_id",
    "reservation_capacity",
    "cpu",
    "memory",
    "allocatable_cpu",
    "allocatable_memory",
    "pods",
    "ephemeral_storage",
    "arch",
    "os",
    "provider",
    "family",
    "gpu",
    "label:KEY",
];

/// Reads CSV text.
pub fn read(name: &str, text: &str) -> Result<Catalog, ReadError> {
    let mut reader = ReaderBuilder::new()
        .flexible(true)
        .trim(Trim::All)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut records = reader.records();
    let header = match records.next() {
        Some(record) => record.map_err(|error| broken(&error))?,
        None => return Err(ReadError::new("line 1", "expected column names, found nothing")),
    };
    check_header(&header)?;
    // Drafts by name, with the line that each was first seen on.
    let mut drafts: BTreeMap<String, (u64, Draft)> = BTreeMap::new();
    for record in records {
        let record = record.map_err(|error| broken(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(str::is_empty) {
            continue;
        }
        if record.len() != header.len() {
            let problem = format!("expected {} cells, found {}", header.len(), record.len());
            return Err(ReadError::new(format!("line {line}"), problem));
        }
        let row = Row { header: &header, cells: &record, line };
        let said = row.read()?;
        match drafts.get_mut(&said.name) {
            None => {
                drafts.insert(said.name.clone(), (line, said));
            }
            Some((first, draft)) => agree(draft, said, *first, line)?,
        }
    }
    let types = drafts
        .into_values()
        .map(|(line, draft)| {
            draft.finish().map_err(|problem| ReadError::new(format!("line {line}"), problem))
        })
        .collect::<Result<_, _>>()?;
    Ok(Catalog::new(SourceInfo::named(name), types))
}

fn broken(error: &csv::Error) -> ReadError {
    let line = error.position().map_or(0, csv::Position::line);
    ReadError::new(format!("line {line}"), error.to_string())
}

fn check_header(header: &StringRecord) -> Result<(), ReadError> {
    for (at, column) in header.iter().enumerate() {
        let place = || format!("line 1, column {}", at + 1);
        let known = COLUMNS.contains(&column) && column != "label:KEY";
        let label = column.strip_prefix("label:").is_some_and(|key| !key.is_empty());
        if !known && !label && !column.contains('/') {
            let near: Vec<String> =
                nearest(column, COLUMNS, 1).into_iter().map(str::to_owned).collect();
            let problem = format!("unknown column {column:?}{}", or_nearest(&near));
            return Err(ReadError::new(place(), problem));
        }
        if header.iter().take(at).any(|earlier| earlier == column) {
            return Err(ReadError::new(place(), format!("column {column:?} comes twice")));
        }
    }
    let has = |column: &str| header.iter().any(|own| own == column);
    if has("instance_type") == has("name") {
        let problem = "expected a column instance_type (or name)";
        return Err(ReadError::new("line 1", problem));
    }
    if !has("price") {
        return Err(ReadError::new("line 1", "expected a column price"));
    }
    Ok(())
}

struct Row<'a> {
    header: &'a StringRecord,
    cells: &'a StringRecord,
    line: u64,
}

impl Row<'_> {
    /// A cell that is not empty.
    fn cell(&self, column: &str) -> Option<&str> {
        let at = self.header.iter().position(|own| own == column)?;
        self.cells.get(at).filter(|cell| !cell.is_empty())
    }

    fn fail(&self, column: &str, problem: impl Into<String>) -> ReadError {
        ReadError::new(format!("line {}, column {column}", self.line), problem)
    }

    fn parse<T>(
        &self,
        column: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, ReadError> {
        self.cell(column)
            .map(|cell| parse(cell).map_err(|problem| self.fail(column, problem)))
            .transpose()
    }

    fn text(&self, column: &str) -> Option<String> {
        self.cell(column).map(str::to_owned)
    }

    fn read(&self) -> Result<Draft, ReadError> {
        let name = self
            .text("instance_type")
            .or_else(|| self.text("name"))
            .ok_or_else(|| self.fail("instance_type", "expected a name, found nothing"))?;
        let mut draft = Draft {
            name,
            provider: self.parse("provider", draft::provider)?,
            family: self.text("family"),
            arch: self.text("arch"),
            os: self.cell("os").map(|os| os.split(';').map(|os| os.trim().to_owned()).collect()),
            cpu_milli: self.parse("cpu", draft::cpu)?,
            memory_bytes: self.parse("memory", draft::bytes)?,
            pods: self.parse("pods", draft::count)?,
            ephemeral_bytes: self.parse("ephemeral_storage", draft::bytes)?,
            allocatable_cpu_milli: self.parse("allocatable_cpu", draft::cpu)?,
            allocatable_memory_bytes: self.parse("allocatable_memory", draft::bytes)?,
            offerings: vec![self.offering()?],
            ..Draft::default()
        };
        for column in self.header {
            if let Some(key) = column.strip_prefix("label:") {
                if let Some(value) = self.text(column) {
                    draft.labels.insert(key.to_owned(), value);
                }
            } else if column.contains('/') || column == "gpu" {
                let resource = if column == "gpu" { "nvidia.com/gpu" } else { column };
                if let Some(amount) = self.parse(column, draft::count)? {
                    draft.extended.insert(resource.to_owned(), amount);
                }
            }
        }
        Ok(draft)
    }

    fn offering(&self) -> Result<Offering, ReadError> {
        let shared = |column: &str| self.cell(column).map(Arc::<str>::from);
        let terms = |text: &str| text.parse::<CapacityType>().map_err(|error| error.to_string());
        let left = |text: &str| {
            text.parse::<u32>().map_err(|_| format!("expected a whole number, got {text:?}"))
        };
        let price = self
            .parse("price", draft::price)?
            .ok_or_else(|| self.fail("price", "expected a price, found nothing"))?;
        let capacity_type = self.parse("capacity_type", terms)?.unwrap_or(CapacityType::OnDemand);
        let (id, capacity) =
            (self.text("reservation_id"), self.parse("reservation_capacity", left)?);
        let mut offering = Offering::new(capacity_type, price);
        offering.region = shared("region");
        offering.zone = shared("zone");
        offering.zone_id = shared("zone_id");
        offering.available = self.parse("available", draft::flag)?.unwrap_or(true);
        if id.is_some() || capacity.is_some() {
            offering.reservation = Some(Reservation { id: id.map(Into::into), capacity });
        }
        Ok(offering)
    }
}

/// Adds what a further row says of a type; a row may leave out what an earlier one said, but not contradict it.
fn agree(draft: &mut Draft, said: Draft, first: u64, line: u64) -> Result<(), ReadError> {
    fn one<T: PartialEq>(own: &mut Option<T>, said: Option<T>) -> bool {
        match (own.as_ref(), said) {
            (_, None) => true,
            (Some(own), Some(said)) => *own == said,
            (None, said) => {
                *own = said;
                true
            }
        }
    }
    fn all<V: PartialEq>(own: &mut BTreeMap<String, V>, said: BTreeMap<String, V>) -> bool {
        said.into_iter().all(|(key, value)| match own.get(&key) {
            Some(own) => *own == value,
            None => own.insert(key, value).is_none(),
        })
    }
    let checks = [
        ("provider", one(&mut draft.provider, said.provider)),
        ("family", one(&mut draft.family, said.family)),
        ("arch", one(&mut draft.arch, said.arch)),
        ("os", one(&mut draft.os, said.os)),
        ("cpu", one(&mut draft.cpu_milli, said.cpu_milli)),
        ("memory", one(&mut draft.memory_bytes, said.memory_bytes)),
        ("pods", one(&mut draft.pods, said.pods)),
        ("ephemeral_storage", one(&mut draft.ephemeral_bytes, said.ephemeral_bytes)),
        ("allocatable_cpu", one(&mut draft.allocatable_cpu_milli, said.allocatable_cpu_milli)),
        (
            "allocatable_memory",
            one(&mut draft.allocatable_memory_bytes, said.allocatable_memory_bytes),
        ),
        ("resources", all(&mut draft.extended, said.extended)),
        ("labels", all(&mut draft.labels, said.labels)),
    ];
    if let Some((column, _)) = checks.iter().find(|(_, agrees)| !agrees) {
        let problem = format!("{} contradicts line {first}", draft.name);
        return Err(ReadError::new(format!("line {line}, column {column}"), problem));
    }
    for offering in said.offerings {
        if draft.offerings.iter().any(|own| own.key() == offering.key()) {
            let problem = format!("{} has two prices for the same terms and place", draft.name);
            return Err(ReadError::new(format!("line {line}"), problem));
        }
        draft.offerings.push(offering);
    }
    Ok(())
}
