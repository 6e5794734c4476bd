//! The fleet and its figures, and where pods would go: as values, as a screen, as JSON and as CSV.
//!
//! [`Fleet::new`] computes everything; [`nodes_view`], [`json`] and [`csv`] only show it. Nothing here reads a clock or
//! writes anywhere: every function returns what it has to say.

mod bar;
mod csv;
mod explain;
mod figure;
mod fleet;
mod lint;
mod load;
pub mod money;
mod nodes_view;
mod options;
mod output;
mod page;
mod plan;
mod reason;
mod schedule;
mod selector;
mod simulation;
mod state;
mod style;
pub mod table;
#[cfg(test)]
mod testing;
pub mod units;

pub use bar::Bar;
pub use csv::{csv, csv_record};
pub use explain::{
    BudgetNow, CounterfactualRow, Destination, GateRow, MissRow, NodeExplanation, NodeQuestion,
    ObstacleRow, PdbRow, PodExplanation, PoolExplanation, VerdictRow, WindowNow,
    node_explanation_view, pod_explanation_view, pool_explanation_view, shell_word,
};
pub use fleet::{
    Amount, Amounts, Fleet, FleetGroup, FleetNode, FleetPool, Groups, Resource, Totals, Unit,
    UnpricedNodes,
};
pub use lint::{FindingRow, LintReport, ObjectRow, lint_view};
pub use load::PodCounts;
pub use nodes_view::{ViewOptions, nodes_view};
pub use options::{FleetOptions, GroupBy, NodeFilter, NodeKey, ParseKeyError, SortKey};
pub use output::{FleetDocument, document, json};
pub use plan::{
    Bound, CatalogInfo, Clock, Evictions, FaultRow, GivenUpRow, Interval, Limit, LockedRow,
    MoveBrief, MoveChange, MoveRow, NodeRow, PlanDiff, PlanDocument, PlanFacts, PodRow,
    PoolSettings, PoolTimeline, PreferenceKindRow, PreferencesRow, ReasonRow, ReplacementRow,
    RiskRow, ScheduleRow, SettingRow, SettingsDocument, StatsRow, Timeline, TotalsChange,
    TotalsRow, UtilizationRow, VerdictChange, diff_view, plan_html, plan_view, settings_view,
    timeline_view,
};
pub use reason::{CODES, ReasonValues, Told, fix_of, tell};
pub use schedule::{
    DrainedNode, Explained, FeasibilityDocument, LaunchedNode, Misfit, Obstacle, PlacedPod,
    PodFeasibility, PodName, ScheduleDocument, ScheduleReport, ShortageValues, Speaker, Spot,
    Values, Where, feasibility_view, nodes_by_name, schedule_document, schedule_view,
};
pub use selector::{LabelSelector, ParseSelectorError};
pub use simulation::{
    DecisionRow, DemoStory, Distribution, EndingRow, ExpectationRow, PolicyRow, RunRow, SideRow,
    Simulated, SimulationReport, comparison_view, demo_view, pareto, simulation_document,
    simulation_html, simulation_view,
};
pub use state::{NodeState, ParseStateError};
pub use style::{Style, Styled};
