//! Visiting every name of a value, so that a snapshot can renumber or replace its names in one place.

use crate::Str;

/// A value that may refer to names of its snapshot's table.
pub trait EachStr {
    /// Calls `visit` with every name. Values that keep their parts sorted by name sort them again.
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str));
}

impl EachStr for Str {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        visit(self);
    }
}

impl<T: EachStr> EachStr for Option<T> {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        if let Some(value) = self {
            value.each_str(visit);
        }
    }
}

impl<T: EachStr + ?Sized> EachStr for Box<T> {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        (**self).each_str(visit);
    }
}

impl<T: EachStr> EachStr for [T] {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        for value in self {
            value.each_str(visit);
        }
    }
}

impl<T: EachStr> EachStr for Vec<T> {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.as_mut_slice().each_str(visit);
    }
}

impl<A: EachStr, B: EachStr> EachStr for (A, B) {
    fn each_str(&mut self, visit: &mut dyn FnMut(&mut Str)) {
        self.0.each_str(visit);
        self.1.each_str(visit);
    }
}

/// Implements [`EachStr`] for types that hold no names.
macro_rules! no_names {
    ($($type:ty),* $(,)?) => { $(
        impl $crate::each_str::EachStr for $type {
            fn each_str(&mut self, _: &mut dyn FnMut(&mut $crate::Str)) {}
        }
    )* };
}

/// Implements [`EachStr`] for a struct by naming all of its fields: a field that is left out does not compile.
macro_rules! names_in {
    ($type:ty { $($field:ident),* $(,)? }) => {
        impl $crate::each_str::EachStr for $type {
            fn each_str(&mut self, visit: &mut dyn FnMut(&mut $crate::Str)) {
                let Self { $($field),* } = self;
                $( $field.each_str(visit); )*
            }
        }
    };
}

pub(crate) use {names_in, no_names};

no_names!(
    bool,
    u8,
    u16,
    u32,
    i32,
    i64,
    u64,
    u128,
    String,
    crate::Time,
    crate::GoDuration,
    crate::DurationOrNever,
    crate::Price,
);
