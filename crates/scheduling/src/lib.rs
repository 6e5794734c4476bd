//! Where can these pods run, and what new node would they need? Answered as the real scheduler answers, from memory.
//!
//! No clock, no randomness, no environment, no printing.

pub mod checker;
