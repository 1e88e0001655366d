//! The real programs, beside GNU's where it is installed.

mod cat;
mod support;
mod tr;
