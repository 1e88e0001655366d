//! `lissom-cat` as its users see it.

mod options;
