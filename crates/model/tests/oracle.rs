//! Quantities, durations, ages and schedules against the answers of the Go libraries (`oracle/values`).

use restow_model::quantity::Format;
use restow_model::{Cron, DurationOrNever, GoDuration, Quantity, Time};

/// The rows of a table as cells of plain text.
fn rows(table: &str) -> Vec<Vec<String>> {
    let rows: Vec<Vec<String>> = table
        .split('\n')
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split('\t').map(unescaped).collect())
        .collect();
    assert!(rows.len() > 100, "only {} rows", rows.len());
    rows
}

fn unescaped(cell: &str) -> String {
    let mut text = String::new();
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        text.push(match letter {
            '\\' => match letters.next() {
                Some('t') => '\t',
                Some('n') => '\n',
                Some('r') => '\r',
                Some('h') => '#',
                Some('0') => '\0',
                Some('\\') => '\\',
                other => panic!("unknown escape {other:?} in {cell}"),
            },
            letter => letter,
        });
    }
    text
}

#[test]
fn quantities_are_those_of_kubernetes() {
    for row in rows(include_str!("fixtures/quantities.tsv")) {
        let (text, ours) = (&row[0], row[0].parse::<Quantity>());
        let [_, _, format, nanos, milli, value, printed, canonical, held] = row.as_slice() else {
            assert_eq!(row[1], "error");
            assert!(ours.is_err(), "{text:?} has to be refused");
            continue;
        };
        let ours = ours.unwrap();
        let exact = nanos.parse::<i128>().ok();
        // Where 128 bits end, ours stays.
        let limit = if nanos.starts_with('-') { -i128::MAX } else { i128::MAX };
        assert_eq!(ours.nanos(), exact.unwrap_or(limit), "{text}");
        let name = match ours.format() {
            Format::Decimal => "DecimalSI",
            Format::Binary => "BinarySI",
            Format::Exponent => "DecimalExponent",
        };
        assert_eq!(name, format, "{text}");

        // The library wraps where 64 bits end, and for negative amounts that it holds as big decimals.
        let agreed = |nanos: i128, unit: i128| {
            nanos.abs() < i128::from(i64::MAX) * unit && (nanos >= 0 || held == "int")
        };
        if exact.is_some_and(|nanos| agreed(nanos, 1_000_000)) {
            assert_eq!(ours.milli_up().to_string(), *milli, "{text}");
        }
        if exact.is_some_and(|nanos| agreed(nanos, 1_000_000_000)) {
            assert_eq!(ours.value_up().to_string(), *value, "{text}");
        }

        // The library prints the input where it takes it for canonical, and loses exponents above 18.
        assert!(printed == canonical || printed == text, "{text}");
        assert_eq!(ours.to_string().parse(), Ok(ours), "{text}");
        if exact.is_some() && canonical.parse() == Ok(ours) {
            assert_eq!(ours.to_string(), *canonical, "{text}");
        } else {
            assert!(ours.nanos().abs() >= 10_i128.pow(30), "{text}");
        }
    }
}

#[test]
fn quantities_are_ordered_as_in_kubernetes() {
    for row in rows(include_str!("fixtures/quantity-order.tsv")) {
        let [left, right, order] = row.as_slice() else { panic!("{row:?}") };
        let ours = left.parse::<Quantity>().unwrap().cmp(&right.parse().unwrap());
        assert_eq!((ours as i8).to_string(), *order, "{left} {right}");
    }
}

#[test]
fn durations_are_those_of_go() {
    for row in rows(include_str!("fixtures/durations.tsv")) {
        let (text, ours) = (&row[0], row[0].parse::<GoDuration>());
        let answer = row[3] == "ok";
        if answer {
            let ours = ours.as_ref().unwrap();
            assert_eq!(ours.nanos().to_string(), row[4], "{text}");
            assert_eq!(ours.to_string(), row[5], "{text}");
        } else {
            assert!(ours.is_err(), "{text:?} has to be refused");
        }
        // A setting has to match its pattern and to be a duration.
        let after = text.parse::<DurationOrNever>();
        if text == "Never" {
            assert_eq!(after, Ok(DurationOrNever::Never));
        } else if row[1] == "true" && answer {
            assert_eq!(after.ok().and_then(DurationOrNever::after), ours.clone().ok(), "{text}");
        } else {
            assert!(after.is_err(), "{text:?} has to be refused");
        }
        let budget = GoDuration::parse_budget(text).ok();
        assert_eq!(budget, ours.ok().filter(|_| row[2] == "true"), "{text}");
    }
}

#[test]
fn ages_are_those_of_kubectl() {
    for row in rows(include_str!("fixtures/ages.tsv")) {
        let age = GoDuration::from_nanos(row[0].parse().unwrap());
        assert_eq!(age.human(), row[1], "{age}");
    }
}

#[test]
fn schedules_fire_as_in_karpenter() {
    for row in rows(include_str!("fixtures/cron.tsv")) {
        let (text, ours) = (&row[0], Cron::parse(&row[0]));
        if row[1] == "error" {
            assert!(ours.is_err(), "{text:?} has to be refused");
            continue;
        }
        let ours = ours.unwrap_or_else(|error| panic!("{text:?} has to be read: {error}"));
        for cell in &row[2..] {
            let (kind, question) = cell.split_once(' ').unwrap();
            let parts: Vec<&str> = question.split(':').collect();
            let mut at = Time::from_millis(parts[0].parse().unwrap());
            match kind {
                "next" => {
                    for hit in parts[1].split(',') {
                        let next = ours.next_after(at);
                        let expected = hit.parse().ok().map(Time::from_seconds);
                        assert_eq!(next, expected, "{text:?} after {at}");
                        at = next.unwrap_or(at);
                    }
                }
                "active" => {
                    let duration = GoDuration::from_seconds(parts[1].parse().unwrap());
                    let active = ours.is_active(at, duration);
                    assert_eq!(active.to_string(), parts[2], "{text:?} at {at} for {duration}");
                }
                other => panic!("unknown question {other}"),
            }
        }
    }
}
