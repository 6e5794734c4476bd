//! Groups that no mask tells apart serve the same demand, so their capacity is one pool: a site.

use std::collections::BTreeMap;

use crate::problem::Problem;
use crate::supply::Supply;

/// Which site each group is part of.
#[derive(Debug)]
pub(crate) struct Sites {
    of_group: Vec<Option<u32>>,
    /// The groups of each site, ascending.
    pub(crate) groups: Vec<Vec<usize>>,
}

impl Sites {
    /// Sites by the masks that are `live`, which are those with any demand.
    pub(crate) fn of_masks(problem: &Problem, live: &[bool]) -> Self {
        let mut seen_by: Vec<Vec<u32>> = vec![Vec::new(); problem.groups];
        for (mask, groups) in problem.masks.iter().enumerate().filter(|(mask, _)| live[*mask]) {
            for group in groups {
                seen_by[*group as usize].push(mask as u32);
            }
        }
        let mut number: BTreeMap<&[u32], u32> = BTreeMap::new();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut of_group = Vec::with_capacity(problem.groups);
        for (group, masks) in seen_by.iter().enumerate() {
            if masks.is_empty() {
                of_group.push(None);
                continue;
            }
            let site = *number.entry(masks).or_insert(groups.len() as u32);
            if site as usize == groups.len() {
                groups.push(Vec::new());
            }
            groups[site as usize].push(group);
            of_group.push(Some(site));
        }
        Self { of_group, groups }
    }

    /// The site of a group; none when no pod with demand may run there.
    pub(crate) fn of(&self, group: usize) -> Option<usize> {
        self.of_group[group].map(|site| site as usize)
    }

    /// The sites where a mask can be served some of a resource, ascending.
    pub(crate) fn serving(
        &self,
        problem: &Problem,
        supply: &Supply,
        mask: usize,
        resource: usize,
    ) -> Vec<usize> {
        let groups = problem.masks[mask].iter().map(|group| *group as usize);
        let supplied = groups.filter(|group| supply.has(*group, resource));
        let mut sites: Vec<usize> = supplied.filter_map(|group| self.of(group)).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}
