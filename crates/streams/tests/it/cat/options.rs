//! Help, version and misuse.

use crate::support::{lissom_cat, run};

#[test]
fn help_names_every_option() {
    let got = run(lissom_cat().arg("--he"), b"");
    assert_eq!((got.status, &got.stderr[..]), (Some(0), &b""[..]));
    let text = String::from_utf8(got.stdout).expect("text");
    assert!(text.starts_with("Usage: cat [OPTION]... [FILE]...\n"), "{text}");
    for option in [
        "-A, --show-all",
        "-b, --number-nonblank",
        "-e ",
        "-E, --show-ends",
        "-n, --number ",
        "-s, --squeeze-blank",
        "-t ",
        "-T, --show-tabs",
        "-u ",
        "-v, --show-nonprinting",
        "--help",
        "--version",
    ] {
        assert!(text.contains(option), "{option}");
    }
}

#[test]
fn version_is_one_line() {
    let got = run(lissom_cat().args(["--vers", "-x"]), b"");
    let expected = format!("cat (Lissom) {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!((got.status, got.stdout), (Some(0), expected.into_bytes()));
}

#[test]
fn an_unknown_kernel_is_refused() {
    let got = run(lissom_cat().env("LISSOM_KERNEL", "mmx").arg("-n"), b"x");
    assert_eq!((got.status, &got.stdout[..]), (Some(1), &b""[..]));
    let expected = "cat: LISSOM_KERNEL: no kernel ‘mmx’ on this machine\n";
    assert_eq!(String::from_utf8_lossy(&got.stderr), expected);
}

#[test]
fn a_bad_option_points_to_help() {
    let got = run(lissom_cat().arg("-x"), b"");
    assert_eq!(got.status, Some(1));
    assert_eq!(got.stderr, b"cat: invalid option -- 'x'\nTry 'cat --help' for more information.\n");
}
