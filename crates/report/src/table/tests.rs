use super::*;

fn options(width: usize) -> TableOptions {
    TableOptions { width: Some(width), headers: true, color: false, ascii: false }
}

fn table() -> Table {
    let mut table = Table::new(vec![
        Column::new("NODE", 0).cut(Cut::Middle, 6),
        Column::new("ZONE", 3),
        Column::new("$/HOUR", 1).right(),
        Column::bars(4, 8, 2),
    ]);
    for (name, zone, price, share) in
        [("worker-0001", "a", "0.1", 0.5), ("worker-0002", "bb", "12.25", 1.0)]
    {
        table.rows.push(vec![
            Cell::plain(name),
            Cell::plain(zone),
            Cell::plain(price),
            Cell::Bar(Bar { share, daemons: 0.0 }),
        ]);
    }
    table
}

#[test]
fn with_room_every_column_has_its_natural_width() {
    let expected = "\
NODE         ZONE  $/HOUR
worker-0001  a        0.1  ████░░░░
worker-0002  bb     12.25  ████████
";
    assert_eq!(table().render(&options(80)), expected);
    assert_eq!(table().render(&TableOptions { width: None, ..options(0) }), expected);
}

#[test]
fn columns_shrink_before_they_go_and_the_least_important_goes_first() {
    let expected = "\
NODE       ZONE  $/HOUR
work…0001  a        0.1  ██░░
work…0002  bb     12.25  ████
";
    assert_eq!(table().render(&options(29)), expected);
    let expected = "\
NODE     $/HOUR
wo…0001     0.1  ██░░
wo…0002   12.25  ████
";
    assert_eq!(table().render(&options(21)), expected);
    assert_eq!(table().render(&options(8)), "NODE\nwor…0001\nwor…0002\n");
}

#[test]
fn no_line_is_wider_than_asked_for_and_none_ends_in_a_space() {
    let mut table = table();
    table.rows[0][0] = Cell::plain("節点節点節点節点-0001");
    table.rows[0][3] = Cell::empty();
    table.rows[1][2] = Cell::empty();
    for width in 1..60 {
        for ascii in [true, false] {
            for line in table.render(&TableOptions { ascii, ..options(width) }).lines() {
                assert!(line.width() <= width, "{width}: {line:?}");
                assert_eq!(line, line.trim_end());
            }
        }
    }
}

#[test]
fn wide_characters_keep_columns_in_line() {
    let mut table = Table::new(vec![Column::new("A", 0), Column::new("B", 1)]);
    table.rows.push(vec![Cell::plain("節点"), Cell::plain("x")]);
    table.rows.push(vec![Cell::plain("abcd"), Cell::plain("y")]);
    assert_eq!(table.render(&options(20)), "A     B\n節点  x\nabcd  y\n");
}

#[test]
fn headers_may_be_left_out_and_then_take_no_room() {
    let mut table = Table::new(vec![Column::new("LONG HEADER", 0), Column::new("B", 1)]);
    table.rows.push(vec![Cell::plain("a"), Cell::plain("b")]);
    assert_eq!(table.render(&TableOptions { headers: false, ..options(20) }), "a  b\n");
}

#[test]
fn colours_do_not_move_columns() {
    let mut table = table();
    table.rows[0][1] = Cell::styled("a", Style::Good);
    let plain = table.render(&options(40));
    let colored = table.render(&TableOptions { color: true, ..options(40) });
    assert_ne!(plain, colored);
    let mut stripped = String::new();
    let mut inside = false;
    for c in colored.chars() {
        match c {
            '\u{1b}' => inside = true,
            'm' if inside => inside = false,
            c if !inside => stripped.push(c),
            _ => {}
        }
    }
    assert_eq!(stripped, plain);
}
