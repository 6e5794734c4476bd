//! Courses over time, and cost against evictions.

use restow_simulator::outcome::Sample;

use super::super::document::SimulationReport;
use super::super::rows::{PolicyRow, RunRow};
use super::super::text::count;
use super::{acting, class, shape};
use crate::figure::{Chart, Point, Scatter, Series, legend};
use crate::money;

/// Points of a line: more than anybody can see apart.
const POINTS: usize = 400;

/// Something that has a course.
struct Measure {
    title: &'static str,
    of: fn(&Sample) -> f64,
    value: fn(f64, f64) -> String,
    zero: bool,
    /// Whether it is left out while it is zero all the time.
    optional: bool,
}

const MEASURES: [Measure; 5] = [
    Measure {
        title: "Cost of an hour",
        of: |own| own.price,
        value: amount,
        zero: false,
        optional: false,
    },
    Measure {
        title: "Nodes",
        of: |own| f64::from(own.nodes),
        value: whole,
        zero: false,
        optional: false,
    },
    Measure {
        title: "Evictions so far",
        of: |own| own.evictions as f64,
        value: whole,
        zero: true,
        optional: true,
    },
    Measure {
        title: "How full the nodes are by requests",
        of: |own| f64::from(own.requested),
        value: |own, _| format!("{:.0}%", own * 100.0),
        zero: false,
        optional: true,
    },
    Measure {
        title: "Pods that wait for a node",
        of: |own| f64::from(own.pending),
        value: whole,
        zero: true,
        optional: true,
    },
];

pub(super) fn write(out: &mut String, report: &SimulationReport) {
    let classes: Vec<String> = (0..report.policies.len()).map(|at| class(report, at)).collect();
    out.push_str("<section>\n<h2>Over time</h2>\n");
    let entries = report.policies.iter().zip(&classes).enumerate();
    out.push_str(&legend(
        entries.map(|(at, (own, class))| (class.as_str(), shape(at), own.name.as_str())),
    ));
    out.push_str("<div class=\"charts\">\n");
    for (at, measure) in MEASURES.iter().enumerate() {
        out.push_str(&chart(report, measure, &classes).unwrap_or_default());
        if at == 2 && acting(report).len() > 1 {
            out.push_str(&scatter(report, &classes));
        }
    }
    out.push_str("</div>\n</section>\n");
}

fn chart(report: &SimulationReport, measure: &Measure, classes: &[String]) -> Option<String> {
    let series: Vec<Series<'_>> = report
        .policies
        .iter()
        .zip(classes)
        .filter_map(|(policy, class)| course(policy, measure, class))
        .collect();
    let any = series.iter().any(|own| own.points.iter().any(|own| own.1 > 0.0));
    if series.is_empty() || (measure.optional && !any) {
        return None;
    }
    let texts: Vec<String> = series
        .iter()
        .filter_map(|own| {
            let (first, last) = (own.points.first()?.1, own.points.last()?.1);
            let text = |value: f64| (measure.value)(value, 0.01);
            Some(format!("{} from {} to {}", own.name, text(first), text(last)))
        })
        .collect();
    let chart = Chart {
        title: measure.title,
        text: texts.join("; "),
        seconds: report.duration_seconds,
        series,
        value: measure.value,
        zero: measure.zero,
    };
    Some(chart.draw())
}

/// The course of the middle run, and what those of all runs lie between.
fn course<'a>(policy: &'a PolicyRow, measure: &Measure, class: &'a str) -> Option<Series<'a>> {
    let run = policy.typical().filter(|run| !run.series.is_empty())?;
    let every = run.series.len().div_ceil(POINTS).max(1);
    let last = run.series.len() - 1;
    let kept = || {
        run.series
            .iter()
            .enumerate()
            .filter(|(at, _)| at % every == 0 || *at == last)
            .map(|own| own.1)
    };
    let points = kept().map(|own| (own.at as f64, (measure.of)(own))).collect();
    let mut band = Vec::new();
    if policy.runs.len() > 1 {
        for own in kept() {
            let values =
                policy.runs.iter().filter_map(|run| Some((measure.of)(sample_at(run, own.at)?)));
            let (low, high) = values
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| {
                    (low.min(own), high.max(own))
                });
            band.push((own.at as f64, low, high));
        }
    }
    Some(Series { name: &policy.name, class, points, band })
}

/// The last sample that is not later.
fn sample_at(run: &RunRow, at: i64) -> Option<&Sample> {
    let after = run.series.partition_point(|own| own.at <= at);
    run.series.get(after.saturating_sub(1))
}

fn scatter(report: &SimulationReport, classes: &[String]) -> String {
    let policies = report.policies.iter().zip(classes).enumerate();
    let points: Vec<Point<'_>> = policies
        .filter(|(_, (own, _))| !own.runs.is_empty())
        .map(|(at, (own, class))| Point {
            name: &own.name,
            class,
            shape: shape(at),
            at: (own.number("dollars").median, own.number("evictions").median),
            runs: own
                .runs
                .iter()
                .map(|run| (run.totals.dollars, run.totals.evictions as f64))
                .collect(),
            best: own.pareto,
        })
        .collect();
    let texts: Vec<String> = points
        .iter()
        .map(|own| {
            format!("{}: {}, {} evictions", own.name, money::amount(own.at.0, 2), count(own.at.1))
        })
        .collect();
    Scatter {
        title: "Cost against evictions",
        text: texts.join("; "),
        axes: ("cost", "evictions"),
        points,
        values: (amount, whole),
    }
    .draw()
}

fn amount(value: f64, step: f64) -> String {
    match step {
        step if step >= 1.0 => money::amount(value, 1).replace(".0", ""),
        step if step >= 0.1 => money::amount(value, 1),
        step if step >= 0.01 => money::amount(value, 2),
        _ => money::amount(value, 3),
    }
}

fn whole(value: f64, _: f64) -> String {
    count(value)
}
