//! What all pages share: one file that needs nothing else, light or dark, on screen or paper.

use std::fmt::Write;

const STYLE: &str = include_str!("page/style.css");

/// A page with this body.
pub(crate) fn page(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escaped(title)
    )
}

/// Text that is nothing but text.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A number that everything else on the page is about.
pub(crate) fn figure(out: &mut String, label: &str, value: &str, note: &str) {
    let _ = writeln!(
        out,
        "<div><dt>{label}</dt><dd>{}</dd><dd class=\"note\">{}</dd></div>",
        escaped(value),
        escaped(note)
    );
}

/// A row of a table.
pub(crate) fn row(out: &mut String, class: &str, cells: &[&str]) {
    match class {
        "" => out.push_str("<tr>"),
        class => {
            let _ = write!(out, "<tr class=\"{class}\">");
        }
    }
    for cell in cells {
        let _ = write!(out, "<td>{}</td>", escaped(cell));
    }
    out.push_str("</tr>\n");
}
