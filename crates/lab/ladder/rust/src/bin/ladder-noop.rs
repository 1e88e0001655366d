//! A process that does nothing: the floor under every other.
fn main() {}
