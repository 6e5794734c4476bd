//! Columns of small numbers, so that what repeats or counts up takes next to nothing.

/// Writes numbers of varying length.
#[derive(Default)]
pub(super) struct Column(Vec<u8>);

impl Column {
    pub(super) fn push(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub(super) fn push_signed(&mut self, value: i64) {
        self.push(zigzag(value));
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Small numbers for small amounts of either sign.
fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// Several columns, one after the other with their lengths.
pub(super) fn join(columns: &[Column]) -> Vec<u8> {
    let mut all = Column::default();
    for column in columns {
        all.push(column.len() as u64);
    }
    for column in columns {
        all.bytes(&column.0);
    }
    all.0
}

/// Takes `N` columns apart.
pub(super) fn split<const N: usize>(bytes: &[u8]) -> Option<[Cursor<'_>; N]> {
    let mut head = Cursor(bytes);
    let mut lengths = [0_usize; N];
    for length in &mut lengths {
        *length = usize::try_from(head.next()?).ok()?;
    }
    let mut columns = [Cursor(&[]); N];
    for (column, length) in columns.iter_mut().zip(lengths) {
        *column = Cursor(head.take(length)?);
    }
    head.0.is_empty().then_some(columns)
}

/// Reads a column.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    pub(super) fn next(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    pub(super) fn next_signed(&mut self) -> Option<i64> {
        self.next().map(unzigzag)
    }

    pub(super) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }
}

/// Numbers that are close to the one before.
#[derive(Default)]
pub(super) struct Delta(i64);

impl Delta {
    pub(super) fn push(&mut self, column: &mut Column, value: i64) {
        column.push_signed(value.wrapping_sub(self.0));
        self.0 = value;
    }

    pub(super) fn next(&mut self, column: &mut Cursor<'_>) -> Option<i64> {
        self.0 = self.0.wrapping_add(column.next_signed()?);
        Some(self.0)
    }

    /// The next value as an unsigned number of 32 bits.
    pub(super) fn next_u32(&mut self, column: &mut Cursor<'_>) -> Option<u32> {
        u32::try_from(self.next(column)?).ok()
    }
}
