//! Whether the user's locale writes UTF-8, by glibc's rules and without glibc.
//!
//! Asked only when a message needs it, so that the cost falls on failures.

use crate::rt::Arg;
use crate::rt::find_variable;

/// Whether messages may use UTF-8: the character set of the locale in force.
#[must_use]
pub fn is_utf8(environment: &[Arg]) -> bool {
    let name = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .filter_map(|name| find_variable(environment, name))
        .find(|value| !value.is_empty())
        .unwrap_or_default();
    matches!(name, b"C.UTF-8" | b"C.utf8")
}
