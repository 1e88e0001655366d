//! Link arguments of the two programs: static, at a fixed address, without libc's start files.
//!
//! Only the programs get them; tests and benchmarks link the library as any Rust program would.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    for argument in [
        "-nostdlib",
        "-nostartfiles",
        "-static",
        "-no-pie",
        // One segment fewer to map, and no page of padding between code and constants.
        "-Wl,-z,noseparate-code",
        "-Wl,-z,norelro",
        "-Wl,--build-id=none",
    ] {
        println!("cargo:rustc-link-arg-bins={argument}");
    }
}
