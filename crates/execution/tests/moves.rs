//! Moves that are carried out in a small cluster, and what their records say.

mod moves {
    mod brakes;
    mod life;
    mod world;
}
