//! The project's own commands; see `cargo xtask --help`.

fn main() -> std::process::ExitCode {
    xtask::run(std::env::args_os().skip(1))
}
