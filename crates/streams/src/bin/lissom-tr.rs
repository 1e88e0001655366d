//! `lissom-tr`: translate, squeeze or delete bytes.

#![no_std]
#![no_main]

lissom_streams::program!(lissom_streams::tr::run);
