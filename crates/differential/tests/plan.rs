//! What must hold of every plan, tried on random clusters with every constraint and control: nothing here knows how plans are
//! made.

mod plan {
    mod begun;
    mod carried_out;
    mod equal;
    mod gates;
    mod world;
}
