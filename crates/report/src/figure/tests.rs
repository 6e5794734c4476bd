use super::scale::{Scale, TimeUnit};
use super::*;

#[test]
fn marks_are_at_round_numbers_around_the_values() {
    let scale = Scale::nice((2.13, 2.56), (0.0, 100.0), 4);
    let ticks: Vec<String> = scale.ticks.iter().map(|own| format!("{own:.1}")).collect();
    assert_eq!(ticks, ["2.0", "2.2", "2.4", "2.6"]);
    assert!(scale.at(2.13) > 0.0 && scale.at(2.56) < 100.0);
    assert_eq!(Scale::nice((0.0, 10.0), (0.0, 1.0), 5).ticks, [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
}

#[test]
fn what_makes_no_sense_still_has_an_axis() {
    for (low, high) in
        [(0.0, 0.0), (5.0, 5.0), (f64::NAN, 1.0), (f64::INFINITY, f64::NEG_INFINITY), (-3.0, -3.0)]
    {
        let scale = Scale::nice((low, high), (0.0, 100.0), 4);
        assert!((2..20).contains(&scale.ticks.len()), "{low} {high}: {:?}", scale.ticks);
        assert!(scale.at(f64::NAN).is_finite());
    }
}

#[test]
fn times_are_marked_at_whole_units() {
    let text = |seconds: i64| -> Vec<String> {
        let unit = TimeUnit::of(seconds);
        let scale = Scale::time((0.0, seconds as f64), (0.0, 1.0), 7, unit);
        scale.ticks.iter().map(|own| unit.text(*own)).collect()
    };
    assert_eq!(text(1800), ["0", "5", "10", "15", "20", "25", "30"]);
    assert_eq!(text(86_400), ["0", "6", "12", "18", "24"]);
    assert_eq!(text(7 * 86_400), ["0", "1", "2", "3", "4", "5", "6", "7"]);
    assert_eq!(text(90 * 86_400).last().map(String::as_str), Some("80"));
}

#[test]
fn a_map_of_many_nodes_stays_small() {
    let tile = |at: usize| Tile {
        name: format!("n{at}"),
        kind: "m6a.large",
        pool: "p",
        dollars: 0.08 + 0.3 * (at % 5) as f64,
        full: 0.5,
        becomes: Become::Stays,
    };
    for count in [1, 15, 500, 3000] {
        let tiles: Vec<Tile<'_>> = (0..count).map(tile).collect();
        let text = NodeMap::new(&[&tiles]).draw("Before", &tiles);
        let height = text.split("viewBox=\"0 0 1000 ").nth(1).unwrap();
        let height: f64 = height[..height.find('"').unwrap()].parse().unwrap();
        assert!(height < 900.0, "{count}: {height}");
        assert_eq!(text.matches("<g>").count(), count);
    }
}

#[test]
fn figures_escape_what_they_say() {
    let chart = Chart {
        title: "a < b",
        text: "<b>".to_owned(),
        seconds: 60,
        series: vec![Series {
            name: "<x>",
            class: "s0",
            points: vec![(0.0, 1.0), (60.0, f64::NAN)],
            band: Vec::new(),
        }],
        value: |own, _| format!("<{own}>"),
        zero: true,
    };
    let text = chart.draw();
    for bad in ["<b>", "<x>", "<0", "a < b", "NaN", "inf"] {
        assert!(!text.contains(bad), "{bad}");
    }
}
