//! Drop-in cat and tr.
