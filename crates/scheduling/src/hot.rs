//! The part of the tables that the innermost loops read, laid out for them.

use crate::class::Rule;
use crate::ids::{GroupId, NO_DOMAIN};
use crate::state::State;
use crate::tables::{Add, EVERYWHERE, Hot, SPARSE, Tables, TallyHot};
use crate::tally::{Counted, Tally};

/// Lays out the tallies; returns how many counts are in rows.
pub(crate) fn lay_out_tallies(tables: &mut Tables) -> usize {
    let mut next = 0;
    let mut hot: Vec<TallyHot> = tables
        .tallies
        .iter()
        .map(|(_, tally)| {
            let key = tables.keys.get(tally.key);
            let (mut row, mut domains) = (SPARSE, 0);
            if key.is_dense() {
                row = next;
                domains = key.values.len().max(1) as u32;
                next += domains;
            }
            let scope = scope_of(tables, tally);
            let local = !key.is_dense()
                && tables.shared_hosts.is_empty()
                && !matches!(tally.counted, Counted::Alive(..) | Counted::Volume(..));
            let mut launched = tables.launch.pools.iter().flat_map(|pool| &pool.order);
            let counted =
                |group: &GroupId| scope == EVERYWHERE || tables.tallies.in_scope(scope, *group);
            let uniform = match launched.next() {
                Some(first) => launched.all(|group| counted(group) == counted(first)),
                None => true,
            };
            TallyHot { row, domains, key: tally.key, scope, local, uniform }
        })
        .collect();
    for rule in tables.classes.iter().flat_map(|class| &class.rules) {
        if let Rule::Require { tallies, .. } = rule {
            tallies.iter().for_each(|tally| hot[tally.index()].local = false);
        }
    }
    tables.tally_hot = hot;
    next as usize
}

/// The scope of a tally, if there is any group that it does not hold.
fn scope_of(tables: &Tables, tally: &Tally) -> u32 {
    let Counted::Alive(_, scope) = tally.counted else { return EVERYWHERE };
    let mut groups = (0..tables.groups.len()).map(GroupId::new);
    if groups.all(|group| tables.tallies.in_scope(scope, group)) { EVERYWHERE } else { scope }
}

/// Looks at the scopes again after a group came to be.
pub(crate) fn rescope(tables: &mut Tables) {
    let scopes: Vec<u32> =
        tables.tallies.iter().map(|(_, tally)| scope_of(tables, tally)).collect();
    for (hot, scope) in tables.tally_hot.iter_mut().zip(&scopes) {
        hot.scope = *scope;
    }
    for add in &mut tables.adds {
        add.hot.scope = scopes[add.tally.index()];
    }
    crate::lone::lay_out(tables);
}

/// Fills in what is derived from classes, nodes and their domains.
pub(crate) fn lay_out(tables: &mut Tables, state: &State) {
    tables.node_groups = tables.nodes.iter().map(|node| node.group).collect();
    let adds = tables.classes.iter().flat_map(|class| &class.adds);
    tables.adds =
        adds.map(|tally| Add { tally: *tally, hot: tables.tally_hot[tally.index()] }).collect();
    let mut next = 0;
    tables.hot = tables
        .classes
        .iter()
        .map(|class| Hot {
            cpu: class.demand.cpu,
            memory: class.demand.memory,
            sectors: tables.sector_masks[class.selection.index()],
            row: class.row,
            column: class.column,
            simple: class.is_plain() && class.demand.rare.is_empty() && class.never.is_none(),
            rare: !class.demand.rare.is_empty(),
            counted: !class.adds.is_empty() || !class.attaches.is_empty(),
            attaches: !class.attaches.is_empty(),
            binds: !class.open_claims.is_empty(),
            lasting: class.monotone,
            batch: class.is_plain() && !class.settles,
            easy: class.is_plain()
                && !class.settles
                && class.demand.rare.is_empty()
                && class.never.is_none()
                && class.adds.is_empty()
                && class.open_claims.is_empty()
                && class.relaxed.is_none(),
            lone: crate::lone::NOT_LONE,
            quiet: 0,
            selection: class.selection,
            adds: {
                let first = next;
                next += class.adds.len() as u32;
                (first, next)
            },
        })
        .collect();
    tables.key_sectors = tables
        .keys
        .iter()
        .map(|(id, key)| {
            let mut sectors = vec![0; if key.is_dense() { key.values.len().max(1) } else { 0 }];
            if key.is_dense() {
                for (at, sector) in tables.node_sectors.iter().enumerate() {
                    let domain = state.domains[id.index()][at];
                    if domain != NO_DOMAIN {
                        sectors[domain as usize] |= 1 << sector;
                    }
                }
            }
            sectors
        })
        .collect();
    crate::lone::lay_out(tables);
}
