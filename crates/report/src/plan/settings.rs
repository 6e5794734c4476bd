//! The settings of each pool, and where each came from.

use restow_consolidation::settings::{Name, Origin, Resolved, Scope};
use serde::Serialize;

use super::text::{paragraph, table_options};
use crate::nodes_view::ViewOptions;
use crate::schedule::text::few;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::units::counted;

/// `kind: Settings`, for programs. Fields may be added, never renamed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingsDocument {
    api_version: &'static str,
    kind: &'static str,
    /// What holds for the whole cluster.
    pub cluster: Vec<SettingRow>,
    /// What holds for each pool.
    pub pools: Vec<PoolSettings>,
}

/// The settings of a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolSettings {
    /// The pool.
    pub node_pool: String,
    /// Its settings.
    pub settings: Vec<SettingRow>,
    /// What is wrong with them; such a pool is not consolidated.
    pub faults: Vec<FaultRow>,
}

/// A setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SettingRow {
    /// Its name.
    pub name: &'static str,
    /// Its value, as it would be written.
    pub value: String,
    /// Where it came from.
    pub origin: &'static str,
    /// What it is if nobody says anything.
    pub default: &'static str,
    /// What it does.
    pub help: &'static str,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FaultRow {
    /// The annotation or field.
    pub field: String,
    /// What is wrong, and what was expected.
    pub problem: String,
}

fn rows(resolved: &Resolved, scope: Scope, all: bool) -> Vec<SettingRow> {
    let shown =
        |name: &&Name| name.scope() == scope && (all || resolved.origin(**name) != Origin::Default);
    let row = |name: &Name| SettingRow {
        name: name.text(),
        value: resolved.settings.show(*name),
        origin: resolved.origin(*name).name(),
        default: name.default_text(),
        help: name.help(),
    };
    Name::ALL.iter().filter(shown).map(row).collect()
}

impl SettingsDocument {
    /// The settings of a cluster and of these pools; with `all` also those that nobody set.
    pub fn new<'a>(
        cluster: &Resolved,
        pools: impl Iterator<Item = (&'a str, &'a Resolved)>,
        all: bool,
    ) -> Self {
        let pool = |(name, resolved): (&str, &Resolved)| PoolSettings {
            node_pool: name.to_owned(),
            settings: rows(resolved, Scope::Pool, all),
            faults: resolved
                .faults
                .iter()
                .map(|own| FaultRow { field: own.field.clone(), problem: own.problem.clone() })
                .collect(),
        };
        let mut pools: Vec<PoolSettings> = pools.map(pool).collect();
        pools.sort_by(|a, b| a.node_pool.cmp(&b.node_pool));
        Self {
            api_version: "restow.dev/v1alpha1",
            kind: "Settings",
            cluster: rows(cluster, Scope::Cluster, all),
            pools,
        }
    }

    /// How many things are wrong.
    pub fn faults(&self) -> usize {
        self.pools.iter().map(|pool| pool.faults.len()).sum()
    }
}

/// The screen, in lines without spaces at their ends.
pub fn settings_view(settings: &SettingsDocument, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    write_rows(&mut out, "Cluster", &settings.cluster, options);
    for (names, pool) in grouped_pools(&settings.pools) {
        out.push('\n');
        let title = match names.as_slice() {
            [only] => format!("Pool {only}"),
            all if options.wide => format!("Pools {}", all.join(", ")),
            all => format!("Pools {}", few(all)),
        };
        write_rows(&mut out, &title, &pool.settings, options);
        for fault in &pool.faults {
            let text = format!("{}: {}", fault.field, fault.problem);
            paragraph(&mut out, &text, Style::Bad, 2, options);
        }
    }
    if settings.pools.is_empty() {
        paragraph(&mut out, "The cluster has no pools.", Style::Plain, 0, options);
    }
    if settings.faults() > 0 {
        let text = format!(
            "{} to correct; such a pool is not consolidated.",
            counted(settings.faults(), "setting")
        );
        out.push('\n');
        paragraph(&mut out, &text, Style::Bad, 0, options);
    }
    out
}

/// Pools with equal settings together.
fn grouped_pools(pools: &[PoolSettings]) -> Vec<(Vec<&str>, &PoolSettings)> {
    let mut found: Vec<(Vec<&str>, &PoolSettings)> = Vec::new();
    for pool in pools {
        let same = |known: &&mut (Vec<&str>, &PoolSettings)| {
            known.1.settings == pool.settings && known.1.faults == pool.faults
        };
        match found.iter_mut().find(same) {
            Some((names, _)) => names.push(&pool.node_pool),
            None => found.push((vec![&pool.node_pool], pool)),
        }
    }
    found
}

fn write_rows(out: &mut String, title: &str, rows: &[SettingRow], options: &ViewOptions) {
    if rows.is_empty() {
        paragraph(out, &format!("{title}: all defaults"), Style::Strong, 0, options);
        return;
    }
    paragraph(out, title, Style::Strong, 0, options);
    let mut columns = vec![
        Column::new("SETTING", 0),
        Column::new("VALUE", 0).cut(Cut::End, 12),
        Column::new("FROM", 1),
        Column::new("DEFAULT", 2).cut(Cut::End, 8),
    ];
    if options.wide {
        columns.push(Column::new("WHAT IT DOES", 3));
    }
    let mut table = Table::new(columns);
    for row in rows {
        let style = if row.origin == "default" { Style::Dim } else { Style::Plain };
        let mut cells = vec![
            Cell::plain(row.name),
            Cell::styled(&*row.value, style),
            Cell::styled(row.origin, style),
            Cell::styled(row.default, Style::Dim),
        ];
        if options.wide {
            cells.push(Cell::styled(row.help, Style::Dim));
        }
        table.rows.push(cells);
    }
    out.push_str(&table.render(&table_options(options, 0)));
}
