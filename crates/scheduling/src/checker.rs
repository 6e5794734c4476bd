//! The rules of the scheduler once more, as plainly as possible.
