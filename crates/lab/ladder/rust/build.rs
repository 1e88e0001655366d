//! `ladder-noop` has no C library and no start-up code: the linker must not add them.

fn main() {
    for argument in ["-nostartfiles", "-nostdlib", "-static", "-no-pie"] {
        println!("cargo::rustc-link-arg-bin=ladder-noop={argument}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
