//! Fixed cases with the answers written out: what must hold where no GNU `tr` is installed too.

use crate::support::{lissom_tr, run};

fn check(arguments: &[&str], input: &str, expected: &str) {
    let got = run(lissom_tr().args(arguments), input.as_bytes());
    assert_eq!(String::from_utf8_lossy(&got.stderr), "", "{arguments:?}");
    assert_eq!(String::from_utf8_lossy(&got.stdout), expected, "{arguments:?}");
    assert_eq!(got.status, Some(0), "{arguments:?}");
}

/// An error; nothing is read or written then.
fn check_error(arguments: &[&str], expected: &str) {
    let got = run(lissom_tr().args(arguments), b"input");
    assert_eq!(String::from_utf8_lossy(&got.stderr), expected, "{arguments:?}");
    assert_eq!((got.status, got.stdout), (Some(1), vec![]), "{arguments:?}");
}

#[test]
fn translates() {
    check(&["a-z", "A-Z"], "Hello, world\n", "HELLO, WORLD\n");
    check(&["[:upper:]", "[:lower:]"], "Hello\n", "hello\n");
    check(&["abc", "x"], "aabbcc", "xxxxxx");
    check(&["abc", "x[y*]"], "abc", "xyy");
    check(&["a-e", "[x*2]y"], "abcde", "xxyyy");
    check(&["a-j", "[x*010]y"], "abcdefghij", "xxxxxxxxyy");
    check(&["aa", "xy"], "a", "y");
    check(&["-t", "abc", "x"], "abc", "xbc");
    check(&["-t", "abc", ""], "abc", "abc");
    check(&["-c", "a-z\\n", "_"], "a b\n", "a_b\n");
    check(&["[=a=]b", r"\060\61"], "abc", "01c");
    check(&["1-3[:lower:]", "[x*][:upper:]"], "a1b2", "AxBx");
    // The pair of equal classes changes nothing, not even what was said before.
    check(&["B[:upper:]", "x[:upper:]"], "ABC", "AxC");
}

#[test]
fn deletes_and_squeezes() {
    check(&["-d", "a-c"], "abcdef", "def");
    check(&["-cd", "a-c"], "abcdef\n", "abc");
    check(&["-d", "[a*5]"], "banana", "bnn");
    check(&["-s", "a-z"], "aabbccdd  1122", "abcd  1122");
    check(&["-s", "ab", "xx"], "aabbxx", "x");
    check(&["-ds", "a", "b"], "bababcc", "bcc");
    check(&["-cs", "a-z", "\\n"], "ab  cd--ef", "ab\ncd\nef");
    check(&["-d", ""], "abc", "abc");
    check(&["-cd", ""], "abc", "");
}

#[test]
fn options_are_read_as_gnu_reads_them() {
    check(&["--delete", "--compl", "a"], "abc", "a");
    check(&["-Cd", "a"], "abc", "a");
    check(&["--sq", "--", "-"], "--a--", "-a-");
    check_error(
        &["a", "b", "-d"],
        "tr: extra operand ‘-d’\nTry 'tr --help' for more information.\n",
    );
    check_error(&["-x", "a"], "tr: invalid option -- 'x'\nTry 'tr --help' for more information.\n");
    check_error(
        &["--delet=3", "a"],
        "tr: option '--delete' doesn't allow an argument\n\
         Try 'tr --help' for more information.\n",
    );
}

#[test]
fn wrong_numbers_of_operands() {
    let help = "Try 'tr --help' for more information.\n";
    let check = |arguments: &[&str], lines: &str| check_error(arguments, &format!("{lines}{help}"));
    check(&[], "tr: missing operand\n");
    check(&["-d"], "tr: missing operand\n");
    check(&["a"], "tr: missing operand after ‘a’\nTwo strings must be given when translating.\n");
    check(
        &["-ds", "a'\n"],
        "tr: missing operand after ‘a'\\n’\n\
         Two strings must be given when both deleting and squeezing repeats.\n",
    );
    check(
        &["-d", "a", "b"],
        "tr: extra operand ‘b’\n\
         Only one string may be given when deleting without squeezing repeats.\n",
    );
    check(&["-d", "a", "b", "c"], "tr: extra operand ‘b’\n");
    check(&["a", "b", "c", "d"], "tr: extra operand ‘c’\n");
}

#[test]
fn wrong_sets() {
    let check = |arguments: &[&str], text: &str| check_error(arguments, &format!("tr: {text}\n"));
    check(&["z-a", "x"], "range-endpoints of 'z-a' are in reverse collating sequence order");
    check(
        &["\\n-\\001", "x"],
        "range-endpoints of '\\012-\\001' are in reverse collating sequence order",
    );
    check(&["[:foo\\n:]", "x"], "invalid character class ‘foo\\\\n’");
    check(&["[::]", "x"], "missing character class name '[::]'");
    check(&["[==]", "x"], "missing equivalence class character '[==]'");
    check(&["[=a\\tb\\\\=]", "x"], "a\\tb\\: equivalence class operand must be a single character");
    check(&["a", "[b*08]"], "invalid repeat count ‘08’ in [c*n] construct");
    check(&["[a*]", "x"], "the [c*] repeat construct may not appear in string1");
    check(&["ab", "[x*][y*]"], "only one [c*] repeat construct may appear in string2");
    check(&["-ds", "a", "[b*]"], "the [c*] construct may appear in string2 only when translating");
    check(&["a", "[=b=]"], "[=c=] expressions may not appear in string2 when translating");
    check(
        &["a", "[:alpha:]"],
        "when translating, the only character classes that may appear in\n\
         string2 are 'upper' and 'lower'",
    );
    check(&["a-z", "[:upper:]"], "misaligned [:upper:] and/or [:lower:] construct");
    check(&["a", ""], "when not truncating set1, string2 must be non-empty");
    check(
        &["[:lower:]1", "[:upper:]"],
        "when translating with string1 longer than string2,\n\
         the latter string must not end with a character class",
    );
    check(
        &["-c", "[:alpha:]", "xy"],
        "when translating with complemented character classes,\n\
         string2 must map all characters in the domain to one",
    );
}

#[test]
fn warns_and_goes_on() {
    let got = run(lissom_tr().args(["a\\", "\\400"]), b"a\\ b");
    let expected = "tr: warning: an unescaped backslash at end of string is not portable\n\
                    tr: warning: the ambiguous octal escape \\400 is being\n\
                    \tinterpreted as the 2-byte sequence \\040, 0\n";
    assert_eq!(String::from_utf8_lossy(&got.stderr), expected);
    assert_eq!((got.status, got.stdout), (Some(0), b" 0 b".to_vec()));
}

#[test]
fn immense_repeats_cost_nothing() {
    // GNU counts these down one by one, for centuries.
    let most = "[x*18446744073709551614]";
    check(&["abc", most], "abcd", "xxxd");
    check(&["-s", "abc", most], "abcd", "xd");
    check(&["-d", most], "xyz", "yz");
    check(&[most, "[y*9999999999999]z"], "xyz", "zyz");
    check_error(&["-d", &format!("{most}a")], "tr: too many characters in set\n");
    check_error(&["-d", &format!("a{most}")], "tr: too many characters in set\n");
}

#[test]
fn long_set_strings() {
    // As long as one argument may be, and hostile: read in linear time, and without memory.
    for part in ["a", "[:alpha:]", "[=a=]", "[a*2]", "a-z", "\\141", "[:", "[=", "[a*", "[:*1]"] {
        let set = part.repeat(131_000 / part.len()) + "a";
        let got = run(lissom_tr().args(["-d", "--", &set]), b"a0");
        assert!(got.status == Some(0) && got.stdout == b"0", "{part} repeated");
    }
}

#[test]
fn help_and_version() {
    let help = run(lissom_tr().arg("--help"), b"");
    assert_eq!(help.status, Some(0));
    assert!(help.stdout.starts_with(b"Usage: tr [OPTION]... SET1 [SET2]\n"));
    let help = String::from_utf8(help.stdout).unwrap();
    assert!(help.lines().all(|line| line.len() < 80), "a line of help is too wide");
    let version = run(lissom_tr().args(["--vers", "--help"]), b"");
    assert_eq!(version.status, Some(0));
    assert!(version.stdout.starts_with(b"tr (Lissom) "));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = lissom_tr().arg("--help").stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(output.stderr, b"tr: write error: No space left on device\n");
}

#[test]
fn messages_follow_the_locale_and_the_name() {
    let got = run(lissom_tr().env("LC_ALL", "C").arg("é"), b"");
    let expected = "tr: missing operand after '\\303\\251'\n\
                    Two strings must be given when translating.\n\
                    Try 'tr --help' for more information.\n";
    assert_eq!(String::from_utf8_lossy(&got.stderr), expected);
    // `-A`, which nobody documents, speaks C whatever the environment says.
    assert_eq!(run(lissom_tr().args(["-A", "é"]), b"").stderr, expected.as_bytes());
    let mut called = crate::support::plain(env!("CARGO_BIN_EXE_lissom-tr"), "../bin/tr");
    let got = run(called.args(["-d"]), b"");
    // As newer GNU versions have it: short in messages, whole where it is to be typed again.
    let expected = "tr: missing operand\nTry '../bin/tr --help' for more information.\n";
    assert_eq!(String::from_utf8_lossy(&got.stderr), expected);
}

#[test]
fn a_kernel_that_is_not_there_is_an_error() {
    let got = run(lissom_tr().env("LISSOM_KERNEL", "mmx").args(["a", "b"]), b"a");
    assert_eq!((got.status, got.stdout), (Some(1), vec![]));
    assert_eq!(
        String::from_utf8_lossy(&got.stderr),
        "tr: LISSOM_KERNEL: no kernel ‘mmx’ on this machine\n"
    );
}
