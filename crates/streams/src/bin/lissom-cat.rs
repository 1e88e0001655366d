//! `lissom-cat`: concatenate files to standard output.

#![no_std]
#![no_main]

lissom_streams::program!(lissom_streams::cat::run);
