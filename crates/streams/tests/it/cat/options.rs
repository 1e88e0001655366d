//! Help, version and misuse.

use crate::support::{lissom_cat, run};

#[test]
fn a_bad_option_points_to_help() {
    let got = run(lissom_cat().arg("-x"), b"");
    assert_eq!(got.status, Some(1));
    assert_eq!(
        got.stderr,
        b"cat: invalid option -- 'x'\nTry 'cat --help' for more information.\n"
    );
}
