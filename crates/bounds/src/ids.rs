//! Numbers of things in a problem, in the order in which they were added, and tables of prices by them.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id! {
    /// Nodes that all pods see alike.
    GroupId
}
id! {
    /// Pods that may run in the same groups.
    MaskId
}
id! {
    /// A node that is there.
    NodeId
}
id! {
    /// Something that could be launched.
    OfferId
}

/// Nano-dollars per hour for one unit of each resource, in each group or for each mask.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prices {
    width: usize,
    values: Vec<f64>,
}

impl Prices {
    /// All zero, for `count` groups or masks and `resources` resources.
    pub fn zero(count: usize, resources: usize) -> Self {
        Self { width: resources, values: vec![0.0; count * resources] }
    }

    /// The prices of group or mask number `at`, one for each resource; empty beyond the last one.
    pub fn of(&self, at: usize) -> &[f64] {
        self.values.get(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }

    /// The prices of group or mask number `at`, to change them; empty beyond the last one.
    pub fn of_mut(&mut self, at: usize) -> &mut [f64] {
        self.values.get_mut(at * self.width..(at + 1) * self.width).unwrap_or_default()
    }
}
