//! The system boundary.
