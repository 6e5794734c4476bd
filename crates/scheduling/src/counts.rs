//! Counting pods in and out of the tallies, and the questions that spread constraints ask of them.

use hashbrown::hash_map::Entry;

use crate::ids::{ClassId, Domain, KeyId, NO_DOMAIN, NodeId, OPEN_DOMAIN, TallyId};
use crate::state::{Run, State};
use crate::tables::{Add, SPARSE, Tables};
use crate::tally::sparse_slot;

impl State {
    /// How many of a tally are in a domain.
    #[inline]
    pub(crate) fn count(&self, tables: &Tables, tally: TallyId, domain: Domain) -> i32 {
        let row = tables.tally_hot[tally.index()].row;
        if row == SPARSE {
            self.sparse.get(&sparse_slot(tally, domain)).copied().unwrap_or_default()
        } else {
            self.rows[row as usize + domain as usize]
        }
    }

    #[inline]
    fn bump(&mut self, tables: &Tables, add: &Add, domain: Domain, by: i32) -> (i32, i32) {
        self.totals[add.tally.index()] += i64::from(by);
        if add.hot.row != SPARSE {
            let count = &mut self.rows[add.hot.row as usize + domain as usize];
            *count += by;
            return (*count - by, *count);
        }
        self.bump_sparse(tables, add.tally, domain, by)
    }

    pub(crate) fn bump_tally(
        &mut self,
        tables: &Tables,
        tally: TallyId,
        domain: Domain,
        by: i32,
    ) -> (i32, i32) {
        let add = Add { tally, hot: tables.tally_hot[tally.index()] };
        self.bump(tables, &add, domain, by)
    }

    fn bump_sparse(
        &mut self,
        tables: &Tables,
        tally: TallyId,
        domain: Domain,
        by: i32,
    ) -> (i32, i32) {
        let slot = sparse_slot(tally, domain);
        let (old, new) = match self.sparse.entry(slot) {
            Entry::Occupied(mut own) => {
                let old = *own.get();
                if old + by == 0 {
                    own.remove();
                } else {
                    *own.get_mut() += by;
                }
                (old, old + by)
            }
            Entry::Vacant(place) => {
                if by != 0 {
                    place.insert(by);
                }
                (0, by)
            }
        };
        let histogram = &mut self.histograms[tally.index()];
        // New nodes are not among the hosts: where they are allowed, there is always an empty one to be had.
        if !histogram.is_empty() && (domain as usize) < tables.nodes.len() {
            let (from, to) = (old.max(0) as usize, new.max(0) as usize);
            if histogram.len() <= to {
                histogram.resize(to + 1, 0);
            }
            histogram[from] = histogram[from].saturating_sub(1);
            histogram[to] += 1;
        }
        (old, new)
    }

    /// Counts pods in or out of the tallies, without touching capacity.
    pub(crate) fn tally(&mut self, tables: &Tables, class: ClassId, node: NodeId, count: i32) {
        let hot = &tables.hot[class.index()];
        if !hot.counted {
            return;
        }
        let group = self.group(tables, node);
        for add in tables.adds(hot) {
            let domain = self.domain(add.hot.key, node);
            if domain == OPEN_DOMAIN && tables.forbidding.get(add.tally.index()) == Some(&true) {
                self.tally_everywhere(tables, add, node, count);
            }
            if domain == NO_DOMAIN || domain == OPEN_DOMAIN {
                continue;
            }
            if group.is_none_or(|group| tables.is_in_scope(add.hot.scope, group)) {
                self.bump(tables, add, domain, count);
            }
        }
        if !hot.attaches {
            return;
        }
        for volume in &tables.class(class).attaches {
            let (old, new) = self.bump_tally(tables, volume.tally, node.0, count);
            if !tables.attachments.contains(&(volume.tally, node)) {
                let attached = &mut self.attached[volume.driver as usize][node.index()];
                *attached += i32::from(new > 0) - i32::from(old > 0);
            }
        }
    }

    /// Counts pods in every domain that a new node may still be in.
    fn tally_everywhere(&mut self, tables: &Tables, add: &Add, node: NodeId, count: i32) {
        for domain in crate::first_fit::domains(tables, self, add.hot.key, node) {
            self.bump(tables, add, domain, count);
        }
    }

    /// Counts pods that are nominated for a node as if they were on it (`1`), or no longer (`-1`).
    pub(crate) fn hold(&mut self, tables: &Tables, held: &[ClassId], node: NodeId, sign: i32) {
        for class in held {
            self.reserve(tables, *class, node, i64::from(sign));
            self.tally(tables, *class, node, sign);
            // They do not close a claim for one pod.
            let exclusive = tables.class(*class).adds.iter().filter(|tally| {
                matches!(tables.tallies.get(**tally).counted, crate::tally::Counted::Claim(..))
            });
            for tally in exclusive {
                self.bump_tally(tables, *tally, 0, -sign);
            }
            for tally in &tables.class(*class).uncounted {
                let domain = self.domain(tables.key_of(*tally), node);
                if domain != NO_DOMAIN && self.is_counted(tables, *tally, node) {
                    self.bump_tally(tables, *tally, domain, sign);
                }
            }
        }
    }

    /// Counts all pods of a closed node out (`-1`) or in again (`1`), and says whether there are any that count. Counts that are
    /// of this node alone and that nobody adds up need not change: nothing can be placed on it. A probe takes a single lone pod
    /// out itself when it asks about it.
    pub(crate) fn tally_all(&mut self, tables: &Tables, node: NodeId, sign: i32) -> bool {
        let mut any = false;
        let runs = std::mem::take(&mut self.runs[node.index()]);
        for run in &runs {
            let hot = &tables.hot[run.class.index()];
            if run.count <= hot.quiet && (self.probing || hot.adds.0 == hot.adds.1) {
                continue;
            }
            any = true;
            self.tally_run(tables, *run, node, sign);
        }
        self.runs[node.index()] = runs;
        for at in 0..self.residents[node.index()].len() {
            let run = self.residents[node.index()][at];
            let hot = &tables.hot[run.class.index()];
            if hot.adds.0 < hot.adds.1 {
                self.tally_run(tables, run, node, sign);
                any = true;
            }
        }
        any
    }

    fn tally_run(&mut self, tables: &Tables, run: Run, node: NodeId, sign: i32) {
        let group = self.group(tables, node);
        for add in tables.adds(&tables.hot[run.class.index()]) {
            if add.hot.local {
                continue;
            }
            let domain = self.domain(add.hot.key, node);
            if domain != NO_DOMAIN
                && domain != OPEN_DOMAIN
                && group.is_none_or(|group| tables.is_in_scope(add.hot.scope, group))
            {
                self.bump(tables, add, domain, sign * run.count as i32);
            }
        }
    }

    /// The emptiest domain of a spread constraint, and how many domains there are.
    pub(crate) fn emptiest(&self, tables: &Tables, tally: TallyId) -> (i64, i64) {
        let hot = &tables.tally_hot[tally.index()];
        if hot.row == SPARSE {
            return self.emptiest_host(tables, tally, hot.key);
        }
        let (first, after) = (hot.row as usize, (hot.row + hot.domains) as usize);
        let (counts, nodes) = (&self.rows[first..after], &self.row_nodes[first..after]);
        let (mut least, mut domains) = (i64::from(i32::MAX), 0);
        for (domain, (count, nodes)) in counts.iter().zip(nodes).enumerate() {
            let mut nodes = *nodes;
            // As long as there are more nodes than were closed, some are left.
            if nodes > 0 && nodes as usize <= self.closed.len() {
                for node in &self.closed {
                    let own = self.domain(hot.key, *node) == domain as Domain;
                    nodes -= i32::from(own && self.is_counted(tables, tally, *node));
                }
            }
            if nodes > 0 {
                domains += 1;
                least = least.min(i64::from(*count));
            }
        }
        (least, domains)
    }

    fn emptiest_host(&self, tables: &Tables, tally: TallyId, key: KeyId) -> (i64, i64) {
        let histogram = &self.histograms[tally.index()];
        let mut hosts: i64 = histogram.iter().map(|hosts| i64::from(*hosts)).sum();
        if tables.options.new_domains {
            // A new node, empty, can always be had.
            return (0, hosts + 1);
        }
        let mut gone = 0;
        for node in &self.closed {
            let domain = self.domain(key, *node);
            let counted = domain != NO_DOMAIN && self.is_counted(tables, tally, *node);
            if counted && tables.hosts_alone(domain) {
                gone += 1;
            }
        }
        hosts -= gone;
        // Hosts that are gone hold nobody.
        let empty = histogram.first().map_or(0, |hosts| i64::from(*hosts)) - gone;
        if empty > 0 {
            return (0, hosts);
        }
        let least = histogram.iter().skip(1).position(|hosts| *hosts > 0);
        (least.map_or(i64::from(i32::MAX), |at| at as i64 + 1), hosts)
    }

    pub(crate) fn is_counted(&self, tables: &Tables, tally: TallyId, node: NodeId) -> bool {
        self.group(tables, node).is_some_and(|group| tables.counts_group(tally, group))
    }
}
