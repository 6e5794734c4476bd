//! A provider's types and the directory of its regions.

use super::bytes::{Reader, Writer, inflate};
use super::{PackError, RegionPrices};

const MAGIC: &[u8; 4] = b"RSTW";
const VERSION: u8 = 1;

/// A named column of a type table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Distinct values are stored once.
    Text(String, Texts),
    /// Absent and zero are different.
    Number(String, Vec<Option<u64>>),
}

impl Column {
    fn name(&self) -> &str {
        match self {
            Self::Text(name, _) | Self::Number(name, _) => name,
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(_, values) => values.rows.len(),
            Self::Number(_, values) => values.len(),
        }
    }
}

/// A text for each row, equal ones stored once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts {
    /// In order, none twice.
    distinct: Vec<String>,
    rows: Vec<u32>,
}

impl Texts {
    /// All rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.rows.len()).map(|row| &self[row])
    }
}

impl std::ops::Index<usize> for Texts {
    type Output = str;

    fn index(&self, row: usize) -> &str {
        &self.distinct[self.rows[row] as usize]
    }
}

impl<T: Into<String>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values: Vec<String> = values.into_iter().map(Into::into).collect();
        let mut distinct = values.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let at = |value: &String| distinct.binary_search(value).unwrap_or_default() as u32;
        let rows = values.iter().map(at).collect();
        Self { distinct, rows }
    }
}

/// All of a provider's figures, to be written. Its types need the columns `name`, `family` and `vcpu`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The provider's name.
    pub provider: String,
    /// The types.
    pub types: Types,
    /// The regions.
    pub regions: Vec<RegionPrices>,
}

impl Table {
    /// The file's bytes: equal tables give equal bytes.
    pub fn encode(&self) -> Result<Vec<u8>, PackError> {
        let rows = self.types.rows();
        if self.types.columns.iter().any(|column| column.len() != rows) {
            return Err(PackError::Damaged("type columns differ in length"));
        }
        let sizes = self.types.sizes()?;
        let types = self.types.encode();
        let blocks = self
            .regions
            .iter()
            .map(|region| region.encode(&sizes))
            .collect::<Result<Vec<_>, _>>()?;
        let mut file = Writer { bytes: MAGIC.to_vec() };
        file.bytes.push(VERSION);
        file.text(&self.provider);
        file.number(types.len() as u64);
        file.number(self.regions.len() as u64);
        for (region, block) in self.regions.iter().zip(&blocks) {
            file.text(&region.name);
            file.text(&region.date);
            file.text(&region.spot_date);
            file.number(block.len() as u64);
        }
        file.bytes.extend(types);
        file.bytes.extend(blocks.into_iter().flatten());
        Ok(file.bytes)
    }
}

/// A table's types as columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Types {
    /// The columns, all of the same length.
    pub columns: Vec<Column>,
}

impl Types {
    /// How many types there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Column::len)
    }

    /// A text column; a missing one is an error, since the table and its reader are built together.
    pub fn text(&self, name: &'static str) -> Result<&Texts, PackError> {
        match self.columns.iter().find(|column| column.name() == name) {
            Some(Column::Text(_, values)) => Ok(values),
            _ => Err(PackError::Damaged(name)),
        }
    }

    /// A number column.
    pub fn numbers(&self, name: &'static str) -> Result<&[Option<u64>], PackError> {
        match self.columns.iter().find(|column| column.name() == name) {
            Some(Column::Number(_, values)) => Ok(values),
            _ => Err(PackError::Damaged(name)),
        }
    }

    /// Family number and CPUs of each row; families are numbered where they change.
    fn sizes(&self) -> Result<Vec<(u32, i64)>, PackError> {
        let (families, cpus) = (self.text("family")?, self.numbers("vcpu")?);
        let mut sizes = Vec::with_capacity(cpus.len());
        let mut number = 0;
        for (row, family) in families.iter().enumerate() {
            number += u32::from(row > 0 && &families[row - 1] != family);
            let cpus = cpus[row].and_then(|cpus| i64::try_from(cpus).ok()).unwrap_or(0);
            sizes.push((number, cpus.clamp(0, 1 << 20)));
        }
        Ok(sizes)
    }

    fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.number(self.rows() as u64);
        writer.number(self.columns.len() as u64);
        for column in &self.columns {
            writer.text(column.name());
            match column {
                Column::Text(_, values) => {
                    writer.number(0);
                    writer.number(values.distinct.len() as u64);
                    for text in &values.distinct {
                        writer.text(text);
                    }
                    for at in &values.rows {
                        writer.number(u64::from(*at));
                    }
                }
                Column::Number(_, values) => {
                    writer.number(1);
                    for value in values {
                        writer.number(value.map_or(0, |value| value.saturating_add(1)));
                    }
                }
            }
        }
        writer.into_block()
    }

    fn decode(content: &[u8]) -> Result<Self, PackError> {
        let mut reader = Reader::new(content);
        let rows = reader.count()?;
        let mut columns = Vec::new();
        for _ in 0..reader.count()? {
            let name = reader.text()?.to_owned();
            columns.push(match reader.number()? {
                0 => {
                    let count = reader.count()?;
                    let text = |_| reader.text().map(str::to_owned);
                    let distinct = (0..count).map(text).collect::<Result<Vec<_>, _>>()?;
                    let at = |_| {
                        u32::try_from(reader.number()?)
                            .ok()
                            .filter(|at| (*at as usize) < distinct.len())
                            .ok_or(PackError::Damaged("text number"))
                    };
                    let rows = (0..rows).map(at).collect::<Result<_, _>>()?;
                    Column::Text(name, Texts { distinct, rows })
                }
                1 => {
                    let values = (0..rows).map(|_| Ok(reader.number()?.checked_sub(1)));
                    Column::Number(name, values.collect::<Result<_, PackError>>()?)
                }
                _ => return Err(PackError::Damaged("kind of column")),
            });
        }
        Ok(Self { columns })
    }
}

/// A region's entry in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRegion<'a> {
    /// Its name.
    pub name: &'a str,
    /// The day that its on-demand prices are of.
    pub date: &'a str,
    /// The day that its spot prices are of, or empty.
    pub spot_date: &'a str,
    block: &'a [u8],
}

/// A file of which only the directory has been read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed<'a> {
    /// The provider's name.
    pub provider: &'a str,
    /// The regions, in the file's order.
    pub regions: Vec<PackedRegion<'a>>,
    types: &'a [u8],
}

impl<'a> Packed<'a> {
    /// Reads the directory.
    pub fn open(file: &'a [u8]) -> Result<Self, PackError> {
        let mut reader = Reader::new(file);
        let wrong = PackError::WrongFormat { expected: VERSION };
        if reader.take(5).ok() != Some(&[MAGIC.as_slice(), &[VERSION]].concat()) {
            return Err(wrong);
        }
        let provider = reader.text()?;
        let types_length = reader.count()?;
        let mut entries = Vec::new();
        for _ in 0..reader.count()? {
            entries.push((reader.text()?, reader.text()?, reader.text()?, reader.count()?));
        }
        let types = reader.take(types_length)?;
        let regions = entries
            .into_iter()
            .map(|(name, date, spot_date, length)| {
                Ok(PackedRegion { name, date, spot_date, block: reader.take(length)? })
            })
            .collect::<Result<_, PackError>>()?;
        Ok(Self { provider, regions, types })
    }

    /// The types.
    pub fn types(&self) -> Result<Types, PackError> {
        Types::decode(&inflate(self.types)?)
    }

    /// The prices of a region in the order of `types`, or `None` when the table has no such region.
    pub fn prices(&self, region: &str, types: &Types) -> Result<Option<RegionPrices>, PackError> {
        let Some(entry) = self.regions.iter().find(|entry| entry.name == region) else {
            return Ok(None);
        };
        let mut prices = RegionPrices {
            name: entry.name.to_owned(),
            date: entry.date.to_owned(),
            spot_date: entry.spot_date.to_owned(),
            ..RegionPrices::default()
        };
        prices.decode(&inflate(entry.block)?, &types.sizes()?)?;
        Ok(Some(prices))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{SpotCell, SpotColumn};
    use proptest::prelude::*;
    use restow_model::Price;

    fn tables() -> impl Strategy<Value = Table> {
        let row = ("[a-c]", 1_u64..9, proptest::option::of(1_i64..1 << 40), 0_i64..1 << 40);
        proptest::collection::vec(row, 1..12).prop_map(|rows| {
            let cell = |nanos: i64| match nanos % 3 {
                0 => SpotCell::Absent,
                1 => SpotCell::Unpriced,
                _ => SpotCell::Price(Price::from_nanos(nanos)),
            };
            let cells: Vec<SpotCell> = rows.iter().map(|row| cell(row.3)).collect();
            let column =
                |zone_id: &str| SpotColumn { zone_id: zone_id.into(), cells: cells.clone() };
            Table {
                provider: "p".into(),
                types: Types {
                    columns: vec![
                        Column::Text(
                            "family".into(),
                            rows.iter().map(|row| row.0.clone()).collect(),
                        ),
                        Column::Number("vcpu".into(), rows.iter().map(|row| Some(row.1)).collect()),
                    ],
                },
                regions: vec![RegionPrices {
                    name: "r".into(),
                    date: "2026-01-01".into(),
                    spot_date: String::new(),
                    on_demand: rows.iter().map(|row| row.2.map(Price::from_nanos)).collect(),
                    spot: vec![column(""), column("az1")],
                }],
            }
        })
    }

    proptest! {
        #[test]
        fn a_table_reads_back_as_it_was_written(table in tables()) {
            let file = table.encode().expect("encodes");
            prop_assert_eq!(&file, &table.encode().expect("encodes again"));
            let packed = Packed::open(&file).expect("opens");
            let types = packed.types().expect("has types");
            prop_assert_eq!(&types, &table.types);
            prop_assert_eq!(packed.prices("r", &types), Ok(Some(table.regions[0].clone())));
            prop_assert_eq!(packed.prices("s", &types), Ok(None));
        }

        #[test]
        fn a_damaged_table_is_an_error_and_never_a_panic(
            table in tables(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        ) {
            let mut file = table.encode().expect("encodes");
            let at = at.index(file.len());
            file[at] = byte;
            if let Ok(packed) = Packed::open(&file) && let Ok(types) = packed.types() {
                let _ = packed.prices("r", &types);
            }
        }
    }
}
