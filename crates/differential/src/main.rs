//! Our answers against those of the real code of others, on random clusters.

fn main() {}
