//! The lab as its users meet it: the real binary, real programs, a small suite.

mod articles;
mod bad_input;
mod ladder;
mod measuring;
mod support;
