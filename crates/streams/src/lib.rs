//! Drop-in `cat` and `tr`.
//!
//! Both programs are this library behind a four-line `main`. Neither links libc, std or an
//! allocator: there is no heap to use, so "no allocation in the data plane" holds by construction.
//!
//! Reading order: [`rt`] (how a program starts and talks to the kernel), [`cli`] and [`text`]
//! (options and messages, shared), [`cpu`] (which kernel runs), then [`cat`] and [`tr`].

#![cfg_attr(not(test), no_std)]

pub mod cat;
pub mod cli;
pub mod cpu;
pub mod rt;
pub mod text;
pub mod tr;
