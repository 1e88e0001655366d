//! `lissom-tr` as its users see it.

use crate::support::{lissom_tr, run};

#[test]
fn starts() {
    assert_eq!(run(&mut lissom_tr(), b"").signal, None);
}
