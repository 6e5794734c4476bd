//! From numbers to places, with marks at round numbers.

/// A straight axis.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    /// Where the marks are.
    pub(crate) ticks: Vec<f64>,
    /// The distance between marks.
    pub(crate) step: f64,
}

impl Scale {
    /// An axis for numbers between `low` and `high`, widened to round numbers, with about so many marks.
    pub(crate) fn nice((low, high): (f64, f64), (from, to): (f64, f64), about: usize) -> Self {
        let (low, high) = sane(low, high);
        let step = round_step((high - low) / about.max(1) as f64);
        let (first, last) = ((low / step + 1e-9).floor(), (high / step - 1e-9).ceil());
        let ticks: Vec<f64> =
            (0..=(last - first) as usize).map(|at| (first + at as f64) * step).collect();
        let (low, high) = (first * step, last.max(first + 1.0) * step);
        Self { low, high, from, to, ticks, step }
    }

    /// An axis of time from `low` to `high` seconds, with marks at round times.
    pub(crate) fn time(
        (low, high): (f64, f64),
        (from, to): (f64, f64),
        about: usize,
        unit: TimeUnit,
    ) -> Self {
        let (low, high) = sane(low, high);
        let wanted = (high - low) / about.max(1) as f64;
        let steps = unit.steps();
        let step = steps.iter().copied().find(|step| *step >= wanted);
        let step = step.unwrap_or_else(|| round_step(wanted / 86_400.0) * 86_400.0);
        let (first, last) = ((low / step - 1e-9).ceil(), (high / step + 1e-9).floor());
        let count = (last - first + 1.0).max(0.0) as usize;
        let ticks = (0..count).map(|at| (first + at as f64) * step).collect();
        Self { low, high, from, to, ticks, step }
    }

    /// Where a number is.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value - self.low) / (self.high - self.low);
        // What is no number is drawn at the start.
        self.from + (self.to - self.from) * if share.is_finite() { share } else { 0.0 }
    }
}

/// Numbers that an axis can be made of.
fn sane(low: f64, high: f64) -> (f64, f64) {
    if !low.is_finite() || !high.is_finite() {
        return (0.0, 1.0);
    }
    if high - low > 1e-9 * high.abs().max(low.abs()) {
        return (low, high);
    }
    let room = if high == 0.0 { 1.0 } else { high.abs() * 0.1 };
    // Nothing at all starts at nothing.
    (if low.abs() > 0.0 { low - room } else { low }, high + room)
}

/// The least of 1, 2, 5 times a power of ten that is not below.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let times = [1.0, 2.0, 5.0].into_iter().find(|own| own * power >= least * (1.0 - 1e-9));
    times.unwrap_or(10.0) * power
}

/// What times are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeUnit {
    Minutes,
    Hours,
    Days,
}

impl TimeUnit {
    /// The unit in which so many seconds are not many.
    pub(crate) const fn of(seconds: i64) -> Self {
        match seconds {
            ..=7200 => Self::Minutes,
            7201..=259_200 => Self::Hours,
            _ => Self::Days,
        }
    }

    /// In words.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Minutes => "minutes",
            Self::Hours => "hours",
            Self::Days => "days",
        }
    }

    /// A time as a number of them.
    pub(crate) fn text(self, seconds: f64) -> String {
        let value = seconds / self.seconds();
        let text = format!("{value:.2}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    const fn seconds(self) -> f64 {
        match self {
            Self::Minutes => 60.0,
            Self::Hours => 3600.0,
            Self::Days => 86_400.0,
        }
    }

    fn steps(self) -> &'static [f64] {
        const MINUTES: [f64; 8] = [6.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0];
        const HOURS: [f64; 8] =
            [900.0, 1800.0, 3600.0, 7200.0, 10_800.0, 21_600.0, 43_200.0, 86_400.0];
        const DAYS: [f64; 6] = [21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0, 864_000.0];
        match self {
            Self::Minutes => &MINUTES,
            Self::Hours => &HOURS,
            Self::Days => &DAYS,
        }
    }
}
