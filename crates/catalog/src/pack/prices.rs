//! The prices of one region as a block.

use restow_model::Price;

use super::PackError;
use super::bytes::{Reader, Writer, unzigzag, zigzag};

/// What one region charges, one entry for each type of the table, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionPrices {
    /// The region's name.
    pub name: String,
    /// The day that the on-demand prices are of.
    pub date: String,
    /// The day that the spot prices are of; empty when there are none.
    pub spot_date: String,
    /// On-demand prices.
    pub on_demand: Vec<Option<Price>>,
    /// Spot prices, a column for each zone, or one with an empty id for the whole region.
    pub spot: Vec<SpotColumn>,
}

/// The spot prices of one zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpotColumn {
    /// The zone's id; empty when the prices are the region's.
    pub zone_id: String,
    /// One entry for each type.
    pub cells: Vec<SpotCell>,
}

/// What is known of a type in a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpotCell {
    /// Not sold there.
    #[default]
    Absent,
    /// Sold there, without a spot price.
    Unpriced,
    /// Sold there at this spot price.
    Price(Price),
}

/// The rows that predictions are made from: family number and CPUs of each type.
pub(super) type Sizes<'a> = &'a [(u32, i64)];

/// What the last priced row of the same family predicts for a row.
#[derive(Default)]
struct Predictor {
    last: Option<(u32, i64, i64)>,
}

impl Predictor {
    fn predict(&self, (family, cpus): (u32, i64)) -> i64 {
        match self.last {
            Some((last_family, last_cpus, units)) if last_family == family && last_cpus > 0 => {
                let product = i128::from(units) * i128::from(cpus);
                let half = i128::from(last_cpus / 2);
                i64::try_from((product + half) / i128::from(last_cpus)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn saw(&mut self, (family, cpus): (u32, i64), units: i64) {
        self.last = Some((family, cpus, units));
    }
}

impl RegionPrices {
    pub(super) fn encode(&self, sizes: Sizes<'_>) -> Result<Vec<u8>, PackError> {
        let mut writer = Writer::default();
        let on_demand: Vec<SpotCell> = self
            .on_demand
            .iter()
            .map(|price| price.map_or(SpotCell::Absent, SpotCell::Price))
            .collect();
        encode_column(&mut writer, &self.name, &on_demand, sizes, true)?;
        writer.number(self.spot.len() as u64);
        for column in &self.spot {
            writer.text(&column.zone_id);
            // Spot prices of a zone follow the market, not the size.
            encode_column(
                &mut writer,
                &self.name,
                &column.cells,
                sizes,
                column.zone_id.is_empty(),
            )?;
        }
        Ok(writer.into_block())
    }

    pub(super) fn decode(&mut self, content: &[u8], sizes: Sizes<'_>) -> Result<(), PackError> {
        let mut reader = Reader::new(content);
        self.on_demand = decode_column(&mut reader, sizes, true)?
            .into_iter()
            .map(|cell| match cell {
                SpotCell::Price(price) => Some(price),
                _ => None,
            })
            .collect();
        for _ in 0..reader.count()? {
            let zone_id = reader.text()?.to_owned();
            let cells = decode_column(&mut reader, sizes, zone_id.is_empty())?;
            self.spot.push(SpotColumn { zone_id, cells });
        }
        Ok(())
    }
}

fn encode_column(
    writer: &mut Writer,
    region: &str,
    cells: &[SpotCell],
    sizes: Sizes<'_>,
    predicted: bool,
) -> Result<(), PackError> {
    if cells.len() != sizes.len() {
        return Err(PackError::Damaged("a column has more or fewer rows than the types"));
    }
    let nanos = |cell: &SpotCell| match cell {
        SpotCell::Price(price) => Some(price.nanos()),
        _ => None,
    };
    // The coarsest power of ten that divides every price of the column.
    let mut zeros = 9_u32;
    while cells.iter().filter_map(nanos).any(|nanos| nanos % 10_i64.pow(zeros) != 0) {
        zeros -= 1;
    }
    let unit = 10_i64.pow(zeros);
    writer.number(u64::from(zeros));
    let mut predictor = Predictor::default();
    for (cell, size) in cells.iter().zip(sizes) {
        match cell {
            SpotCell::Absent => writer.number(0),
            SpotCell::Unpriced => writer.number(1),
            SpotCell::Price(price) if price.nanos() > 0 => {
                let units = price.nanos() / unit;
                let stored = if predicted {
                    zigzag(units - predictor.predict(*size))
                } else {
                    units.unsigned_abs()
                };
                writer.number(stored + 2);
                predictor.saw(*size, units);
            }
            SpotCell::Price(price) => {
                return Err(PackError::Unstorable {
                    column: region.to_owned(),
                    value: price.to_string(),
                });
            }
        }
    }
    Ok(())
}

fn decode_column(
    reader: &mut Reader<'_>,
    sizes: Sizes<'_>,
    predicted: bool,
) -> Result<Vec<SpotCell>, PackError> {
    let zeros = reader.number()?;
    let unit = u32::try_from(zeros)
        .ok()
        .filter(|zeros| *zeros <= 9)
        .map(|zeros| 10_i64.pow(zeros))
        .ok_or(PackError::Damaged("price unit"))?;
    let mut predictor = Predictor::default();
    let mut cells = Vec::with_capacity(sizes.len());
    for size in sizes {
        cells.push(match reader.number()? {
            0 => SpotCell::Absent,
            1 => SpotCell::Unpriced,
            stored => {
                let units = if predicted {
                    unzigzag(stored - 2).checked_add(predictor.predict(*size))
                } else {
                    i64::try_from(stored - 2).ok()
                };
                let nanos = units.and_then(|units| units.checked_mul(unit));
                let (units, nanos) =
                    units.zip(nanos).ok_or(PackError::Damaged("price out of range"))?;
                predictor.saw(*size, units);
                SpotCell::Price(Price::from_nanos(nanos))
            }
        });
    }
    Ok(cells)
}
