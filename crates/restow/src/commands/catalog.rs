//! `restow catalog`: instance types and what they cost.

use std::process::ExitCode;

use clap::{Subcommand, ValueEnum};
use restow_catalog::{
    CapacityType, Catalog, Filter, InstanceType, Listed, PriceBook, SortKey, builtin_sources, diff,
    select,
};
use restow_model::{Price, Quantity};
use restow_report::table::{Cell, Column, Cut, Table, TableOptions};
use restow_report::units;
use serde_json::json;

use crate::args::PriceArgs;
use crate::terminal::ColorChoice;
use crate::{output, prices, terminal};

/// Show instance types, their offerings and prices.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow catalog list --catalog aws:us-east-1 --family 'm6*' --sort price\n  \
                  restow catalog show m6a.large --catalog aws:eu-west-1\n  \
                  restow catalog diff aws:us-east-1 http://localhost:8080/metrics"
)]
pub(crate) struct CatalogArgs {
    #[command(subcommand)]
    command: CatalogCommand,
}

#[derive(Subcommand, Debug)]
enum CatalogCommand {
    List(ListArgs),
    Show(ShowArgs),
    Diff(DiffArgs),
    Sources(SourcesArgs),
}

/// How to print.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Output")]
struct OutputArgs {
    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,

    /// Leave out the header line.
    #[arg(long)]
    no_headers: bool,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

impl OutputArgs {
    fn table(&self) -> TableOptions {
        TableOptions {
            width: Some(terminal::width()),
            headers: !self.no_headers,
            color: self.color.on_stdout(),
            ascii: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Table,
    Json,
    Yaml,
    Csv,
}

/// List instance types with their lowest prices.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow catalog list --catalog aws:us-east-1 --min-cpu 4 --max-cpu 8 --arch arm64 --sort price\n  \
                  restow catalog list --catalog gcp:europe-west1 --capacity-type spot --sort price-per-cpu -o csv"
)]
struct ListArgs {
    #[command(flatten)]
    prices: PriceArgs,
    /// Types whose name matches; `*` and `?` stand for anything.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// A family, such as m6a or 'c7*'.
    #[arg(long)]
    family: Option<String>,
    /// amd64 or arm64.
    #[arg(long)]
    arch: Option<String>,
    /// At least that many CPUs.
    #[arg(long, value_name = "CPUS")]
    min_cpu: Option<Quantity>,
    /// At most that many CPUs.
    #[arg(long, value_name = "CPUS")]
    max_cpu: Option<Quantity>,
    /// At least that much memory, such as 16Gi.
    #[arg(long, value_name = "MEMORY")]
    min_memory: Option<Quantity>,
    /// At most that much memory.
    #[arg(long, value_name = "MEMORY")]
    max_memory: Option<Quantity>,
    /// Only types with accelerators (true) or without (false).
    #[arg(long, num_args = 0..=1, default_missing_value = "true")]
    gpu: Option<bool>,
    /// Only offerings of on-demand, spot or reserved capacity.
    #[arg(long, value_name = "TYPE")]
    capacity_type: Option<CapacityType>,
    /// Only offerings of a zone, by name or id.
    #[arg(long)]
    zone: Option<String>,
    /// Sort by name, price, cpu, memory or price-per-cpu.
    #[arg(long, default_value = "name", value_name = "KEY")]
    sort: SortKey,
    #[command(flatten)]
    output: OutputArgs,
}

/// Show all of one instance type.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  restow catalog show m6a.large --catalog aws:us-east-1")]
struct ShowArgs {
    /// The type's name.
    name: String,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Show what changes from one source to another.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  restow catalog diff aws:us-east-1 aws:eu-west-1\n  \
                  restow catalog diff aws:us-east-1 my-prices.csv\n\nExit code 2 says that there are differences.")]
struct DiffArgs {
    /// The old source.
    before: String,
    /// The new source.
    after: String,
    #[command(flatten)]
    output: OutputArgs,
}

/// List the providers, regions and dates that are built in.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  restow catalog sources -o json")]
struct SourcesArgs {
    #[command(flatten)]
    output: OutputArgs,
}

pub(crate) fn run(args: &CatalogArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        CatalogCommand::List(args) => list(args),
        CatalogCommand::Show(args) => show(args),
        CatalogCommand::Diff(args) => compare(args),
        CatalogCommand::Sources(args) => sources(args),
    }
}

/// The catalog of the arguments, at the prices that are paid.
fn catalog(args: &PriceArgs) -> anyhow::Result<Catalog> {
    anyhow::ensure!(
        !args.catalogs.is_empty(),
        "which catalog? name one, such as --catalog aws:us-east-1; `restow catalog sources` lists those that are built in"
    );
    let mut catalog = Catalog::default();
    for name in &args.catalogs {
        catalog = catalog.merge(prices::load(name)?);
    }
    let book = PriceBook::new(catalog, prices::adjustments(args)?);
    Ok(book.paid(None).clone())
}

fn list(args: &ListArgs) -> anyhow::Result<ExitCode> {
    let catalog = catalog(&args.prices)?;
    let filter = Filter {
        name: args.name.clone(),
        family: args.family.clone(),
        arch: args.arch.clone(),
        min_cpu_milli: args.min_cpu.map(Quantity::milli_up),
        max_cpu_milli: args.max_cpu.map(Quantity::milli_down),
        min_memory_bytes: args.min_memory.map(Quantity::value_up),
        max_memory_bytes: args.max_memory.map(Quantity::value_down),
        gpu: args.gpu,
        capacity_type: args.capacity_type,
        zone: args.zone.clone(),
    };
    let found = select(&catalog, &filter, args.sort);
    let text = match args.output.output {
        Format::Table => list_table(&found, &args.output),
        Format::Json => output::json(&list_value(&catalog, &found))?,
        Format::Yaml => output::yaml(&list_value(&catalog, &found))?,
        Format::Csv => list_csv(&found, &args.output),
    };
    terminal::print(&text)?;
    if found.is_empty() {
        terminal::note("no instance type matches");
    }
    Ok(ExitCode::SUCCESS)
}

fn price(price: Option<Price>) -> String {
    price.map_or_else(|| "-".to_owned(), |price| format!("{price:.4}"))
}

fn accelerators(instance_type: &InstanceType) -> String {
    let named: Vec<String> = instance_type
        .accelerators()
        .map(|(name, amount)| format!("{amount} {}", name.split('/').next_back().unwrap_or(name)))
        .collect();
    named.join(", ")
}

fn list_table(found: &[Listed<'_>], options: &OutputArgs) -> String {
    let mut table = Table::new(vec![
        Column::new("TYPE", 0).cut(Cut::Middle, 16),
        Column::new("ARCH", 3),
        Column::new("CPU", 0).right(),
        Column::new("MEMORY", 0).right(),
        Column::new("ALLOC-CPU", 5).right(),
        Column::new("ALLOC-MEM", 5).right(),
        Column::new("PODS", 4).right(),
        Column::new("ACCELERATORS", 2).cut(Cut::End, 8),
        Column::new("ON-DEMAND $/H", 0).right(),
        Column::new("SPOT $/H", 1).right(),
        Column::new("ZONES", 6).right(),
    ]);
    for listed in found {
        let own = listed.instance_type;
        let mut zones: Vec<&str> = listed
            .offerings
            .iter()
            .filter_map(|offering| offering.zone.as_deref().or(offering.zone_id.as_deref()))
            .collect();
        zones.sort_unstable();
        zones.dedup();
        table.rows.push(
            [
                own.name.to_string(),
                own.arch.to_string(),
                units::cores(own.capacity.cpu_milli),
                units::bytes(own.memory_bytes),
                units::cores(own.allocatable.cpu_milli),
                units::bytes(own.allocatable.memory_bytes),
                own.allocatable.pods.to_string(),
                accelerators(own),
                price(listed.cheapest(Some(CapacityType::OnDemand))),
                price(listed.cheapest(Some(CapacityType::Spot))),
                if zones.is_empty() { "all".to_owned() } else { zones.len().to_string() },
            ]
            .map(Cell::plain)
            .to_vec(),
        );
    }
    table.render(&options.table())
}

fn list_value(catalog: &Catalog, found: &[Listed<'_>]) -> serde_json::Value {
    let types: Vec<serde_json::Value> = found
        .iter()
        .map(|listed| {
            let mut value = json!(listed.instance_type);
            value["offerings"] = json!(listed.offerings);
            value
        })
        .collect();
    json!({
        "apiVersion": "restow.dev/v1alpha1",
        "kind": "Catalog",
        "sources": catalog.sources(),
        "types": types,
    })
}

fn list_csv(found: &[Listed<'_>], options: &OutputArgs) -> String {
    let header = [
        "name",
        "arch",
        "cpu",
        "memory",
        "pods",
        "region",
        "zone",
        "capacity_type",
        "price",
        "available",
    ];
    let mut rows = Vec::new();
    for listed in found {
        let own = listed.instance_type;
        for offering in &listed.offerings {
            let zone = offering.zone.as_deref().or(offering.zone_id.as_deref());
            rows.push(
                [
                    own.name.as_ref(),
                    own.arch.as_ref(),
                    &units::cores(own.capacity.cpu_milli).replace(',', ""),
                    &own.memory_bytes.to_string(),
                    &own.allocatable.pods.to_string(),
                    offering.region.as_deref().unwrap_or_default(),
                    zone.unwrap_or_default(),
                    offering.capacity_type.name(),
                    &offering.price.to_string(),
                    &offering.available.to_string(),
                ]
                .map(str::to_owned),
            );
        }
    }
    output::csv((!options.no_headers).then_some(&header), &rows)
}

fn show(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let catalog = catalog(&args.prices)?;
    let Some(own) = catalog.get(&args.name) else {
        let near = catalog.nearest(&args.name, 3);
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!("; did you mean {}?", near.join(", "))
        };
        anyhow::bail!("{} is not in the catalog{hint}", args.name);
    };
    let listed = Listed { instance_type: own, offerings: own.offerings.iter().collect() };
    let text = match args.output.output {
        Format::Json => output::json(&list_value(&catalog, &[listed]))?,
        Format::Yaml => output::yaml(&list_value(&catalog, &[listed]))?,
        Format::Csv => list_csv(&[listed], &args.output),
        Format::Table => type_page(&catalog, own, &args.output),
    };
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn type_page(catalog: &Catalog, own: &InstanceType, options: &OutputArgs) -> String {
    let amounts = |resources: &restow_catalog::Resources| {
        let mut parts = vec![
            format!("{} cpu", units::cores(resources.cpu_milli)),
            format!("{} memory", units::bytes(resources.memory_bytes)),
            format!("{} pods", resources.pods),
        ];
        parts.extend(resources.extended.iter().map(|(name, amount)| format!("{amount} {name}")));
        parts.join(", ")
    };
    let mut lines = vec![
        own.name.to_string(),
        format!("  provider     {}, family {}, {}", own.provider.name(), own.family, own.arch),
        format!("  capacity     {}", amounts(&own.capacity)),
        format!("  allocatable  {}", amounts(&own.allocatable)),
    ];
    for (key, value) in own.labels.iter() {
        lines.push(format!("  label        {key}={value}"));
    }
    lines.push(String::new());
    let mut table = Table::new(vec![
        Column::new("REGION", 2),
        Column::new("ZONE", 0),
        Column::new("CAPACITY", 0),
        Column::new("$/HOUR", 0).right(),
        Column::new("$/MONTH", 1).right(),
        Column::new("SOURCE", 3).cut(Cut::Middle, 12),
        Column::new("NOTE", 0),
    ]);
    for offering in &own.offerings {
        let source = catalog.source_of(offering);
        let mut note = Vec::new();
        if !offering.available {
            note.push("not available");
        }
        if offering.estimated {
            note.push("estimated");
        }
        table.rows.push(
            [
                offering.region.as_deref().unwrap_or("any").to_owned(),
                offering
                    .zone
                    .as_deref()
                    .or(offering.zone_id.as_deref())
                    .unwrap_or("all")
                    .to_owned(),
                offering.capacity_type.name().to_owned(),
                offering.price.to_string(),
                format!("{:.2}", offering.price.dollars_per_month()),
                source.map(|source| source.name.clone()).unwrap_or_default(),
                note.join(", "),
            ]
            .map(Cell::plain)
            .to_vec(),
        );
    }
    lines.push(table.render(&options.table()));
    lines.join("\n")
}

fn compare(args: &DiffArgs) -> anyhow::Result<ExitCode> {
    let differences = diff(&prices::load(&args.before)?, &prices::load(&args.after)?);
    let text = match args.output.output {
        Format::Json => output::json(&diff_value(args, &differences))?,
        Format::Yaml => output::yaml(&diff_value(args, &differences))?,
        Format::Csv => {
            let header =
                ["instance_type", "capacity_type", "region", "zone", "before", "after", "percent"];
            let text =
                |price: Option<Price>| price.map(|price| price.to_string()).unwrap_or_default();
            let rows: Vec<[String; 7]> = differences
                .changed
                .iter()
                .map(|change| {
                    [
                        change.instance_type.clone(),
                        change.capacity_type.name().to_owned(),
                        change.region.clone().unwrap_or_default(),
                        change.zone.clone().unwrap_or_default(),
                        text(change.before),
                        text(change.after),
                        change.percent().map(|percent| format!("{percent:.2}")).unwrap_or_default(),
                    ]
                })
                .collect();
            output::csv((!args.output.no_headers).then_some(&header), &rows)
        }
        Format::Table => diff_table(&differences, &args.output),
    };
    terminal::print(&text)?;
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn diff_value(args: &DiffArgs, differences: &restow_catalog::CatalogDiff) -> serde_json::Value {
    let mut value = json!(differences);
    value["apiVersion"] = json!("restow.dev/v1alpha1");
    value["kind"] = json!("CatalogDiff");
    value["before"] = json!(args.before);
    value["after"] = json!(args.after);
    value
}

fn diff_table(differences: &restow_catalog::CatalogDiff, options: &OutputArgs) -> String {
    let mut lines = Vec::new();
    for (sign, names) in [("+", &differences.added), ("-", &differences.removed)] {
        if !names.is_empty() {
            lines.push(format!(
                "{sign} {}: {}",
                units::counted(names.len(), "type"),
                shortened(names)
            ));
        }
    }
    let mut table = Table::new(vec![
        Column::new("TYPE", 0).cut(Cut::Middle, 16),
        Column::new("CAPACITY", 1),
        Column::new("REGION", 3),
        Column::new("ZONE", 2),
        Column::new("BEFORE $/H", 0).right(),
        Column::new("AFTER $/H", 0).right(),
        Column::new("CHANGE", 0).right(),
    ]);
    for change in &differences.changed {
        table.rows.push(
            [
                change.instance_type.clone(),
                change.capacity_type.name().to_owned(),
                change.region.clone().unwrap_or_default(),
                change.zone.clone().unwrap_or_default(),
                price(change.before),
                price(change.after),
                change.percent().map(|percent| format!("{percent:+.1}%")).unwrap_or_default(),
            ]
            .map(Cell::plain)
            .to_vec(),
        );
    }
    if table.rows.is_empty() {
        if lines.is_empty() {
            lines.push("no differences".to_owned());
        }
    } else {
        lines.push(table.render(&options.table()));
    }
    lines.join("\n")
}

fn shortened(names: &[String]) -> String {
    let shown = names.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > 8 { format!("{shown}, …") } else { shown }
}

fn sources(args: &SourcesArgs) -> anyhow::Result<ExitCode> {
    let sources = builtin_sources();
    let name = |source: &restow_catalog::BuiltinSource| match source.region {
        Some(region) => format!("{}:{region}", source.provider.name()),
        None => source.provider.name().to_owned(),
    };
    let header = ["SOURCE", "PRICES", "SPOT PRICES"];
    let rows: Vec<[String; 3]> = sources
        .iter()
        .map(|source| {
            let date = |date: Option<&str>| date.unwrap_or("-").to_owned();
            [name(source), date(source.date), date(source.spot_date)]
        })
        .collect();
    let value = || json!({"apiVersion": "restow.dev/v1alpha1", "kind": "CatalogSources", "sources": sources});
    let text = match args.output.output {
        Format::Json => output::json(&value())?,
        Format::Yaml => output::yaml(&value())?,
        Format::Csv => {
            let header = ["source", "date", "spot_date"];
            output::csv((!args.output.no_headers).then_some(&header), &rows)
        }
        Format::Table => {
            let mut table = Table::new(header.map(|header| Column::new(header, 0)).to_vec());
            table.rows = rows.into_iter().map(|row| row.map(Cell::plain).to_vec()).collect();
            table.render(&args.output.table())
        }
    };
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
