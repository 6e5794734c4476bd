//! The plan for people and programs.
//!
//! [`PlanDocument::new`] puts a plan into names and numbers, which is what `restow plan -o json` prints and what
//! [`plan_view`], [`plan_html`] and [`PlanDiff`] show: whoever has the file has everything that the screen says.

mod diff;
mod diff_view;
mod document;
mod html;
mod load;
mod misses;
mod moves;
mod preferences;
mod rows;
mod settings;
pub(crate) mod text;
mod timeline;
mod timeline_view;
mod view;

pub use diff::{MoveBrief, MoveChange, PlanDiff, TotalsChange, VerdictChange};
pub use diff_view::diff_view;
pub use document::{PlanDocument, PlanFacts};
pub use html::plan_html;
pub use rows::{
    Bound, CatalogInfo, Evictions, GivenUpRow, LockedRow, MoveRow, NodeRow, PodRow,
    PreferenceKindRow, PreferencesRow, ReasonRow, ReplacementRow, RiskRow, StatsRow, TotalsRow,
    UtilizationRow,
};
pub use settings::{FaultRow, PoolSettings, SettingRow, SettingsDocument, settings_view};
pub use timeline::{Interval, Limit, PoolTimeline, ScheduleRow, Timeline};
pub use timeline_view::{Clock, timeline_view};
pub use view::plan_view;
pub(crate) use view::{verdict_style, word};

#[cfg(test)]
mod tests;
