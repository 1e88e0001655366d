//! What trips implementations, beside what GNU does, or did when it was last asked.

use super::{Place, contents, gnu, gnu_version};

/// Runs `script` with our `cat` and with GNU's, from the same files; all must be equal.
fn same_as_gnu(files: &[(&str, &[u8])], script: &str) {
    let run = |place: &Place| {
        for (name, bytes) in files {
            place.write(name, bytes);
        }
        (place.shell(script), contents(&place.work()))
    };
    let Some(path) = gnu() else { return };
    let (ours, gnus) = (run(&Place::ours()), run(&Place::new(path)));
    assert_eq!(ours, gnus, "{script}");
}

/// Runs `script` with our `cat`; compares status, output and messages.
fn check(files: &[(&str, &[u8])], script: &str, expected: (i32, &str, &str)) {
    let place = Place::ours();
    for (name, bytes) in files {
        place.write(name, bytes);
    }
    let got = place.shell(script);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let got = (got.status.unwrap_or(-1), text(&got.stdout), text(&got.stderr));
    assert_eq!((got.0, got.1.as_str(), got.2.as_str()), expected, "{script}");
}

const S: &[(&str, &[u8])] = &[("s", b"hi\n"), ("a", b"hi\n"), ("e", b"")];

#[test]
fn closed_and_wrong_descriptors() {
    for script in [
        "cat s >&-",
        "cat nofile >&-",
        "cat /dev/null >&-",
        "cat <&-",
        "cat - s <&-",
        "cat - - <&-",
        "cat s <&-",
        "cat s - <&-",
        "cat s - s nofile <&-",
        "cat -n - s <&-",
        "cat --help >&-",
        "cat -x >&-",
        "cat s 1<e",
        "cat -n s 1<e",
        "cat 0>e",
        "cat - s 0>e",
        "cat s 2>&-",
        "cat nofile s 2>&-",
        "cat . s",
        "cat < .",
        "cat -n . s",
    ] {
        same_as_gnu(S, script);
    }
}

#[test]
fn full_devices() {
    for script in [
        "cat s >/dev/full",
        "cat s s nofile >/dev/full",
        "cat nofile s >/dev/full",
        "cat -n s s nofile >/dev/full",
        "cat /dev/null >/dev/full",
        "cat -n /dev/null >/dev/full",
        "cat --help >/dev/full",
        "cat --version >/dev/full",
        "cat -E cr >/dev/full",
    ] {
        same_as_gnu(&[("s", b"hi\n"), ("cr", b"\r")], script);
    }
}

#[test]
fn an_input_that_is_the_output() {
    for script in [
        "cat a >>a",
        "cat -n a >>a",
        "cat s a s >>a",
        "cat e >>e",
        "cat s e >>e",
        "cat s a >a",
        "cat <a >>a",
        "cat <a >>a s",
        "{ read x; cat; } <a >>a",
        "cat a a >>s",
    ] {
        same_as_gnu(S, script);
    }
}

/// Since 9.6, writing over what was read already is accepted.
#[test]
fn an_input_that_is_written_over() {
    let scripts = ["cat <a 1<>a", "cat a 1<>a", "cat e a 1<>a", "cat -n e 1<>e"];
    if gnu_version().is_some_and(|version| version >= (9, 6)) {
        for script in scripts {
            same_as_gnu(S, script);
        }
    }
    for script in scripts {
        check(S, script, (0, "", ""));
    }
    check(S, "cat s a 1<>a", (1, "", "cat: a: input file is output file\n"));
}

#[test]
fn broken_pipes() {
    let Some(path) = gnu() else { return };
    for (script, status, stderr) in [
        ("cat /dev/zero | /bin/true; echo ${PIPESTATUS[0]}", "141\n", ""),
        ("cat -n /dev/zero | /bin/true; echo ${PIPESTATUS[0]}", "141\n", ""),
        (
            "trap '' PIPE; cat /dev/zero | /bin/true; echo ${PIPESTATUS[0]}",
            "1\n",
            "cat: write error: Broken pipe\n",
        ),
        (
            "trap '' PIPE; cat big | /bin/true; echo ${PIPESTATUS[0]}",
            "1\n",
            "cat: write error: Broken pipe\n",
        ),
        ("/bin/cat big big | cat | /bin/true; echo ${PIPESTATUS[1]}", "141\n", ""),
    ] {
        for program in [path, env!("CARGO_BIN_EXE_lissom-cat")] {
            let place = Place::new(program);
            place.write("big", &vec![b'x'; 3 << 20]);
            let got = place.shell(script);
            assert_eq!(String::from_utf8_lossy(&got.stdout), status, "{program} {script}");
            assert_eq!(String::from_utf8_lossy(&got.stderr), stderr, "{program} {script}");
        }
    }
}

#[test]
fn files_without_a_size_have_contents() {
    for script in [
        "cat /proc/version",
        "cat </proc/version | /bin/cat",
        "cat /proc/version /proc/version >out",
        "cat -A /proc/filesystems",
        "cat /proc/filesystems /proc/filesystems | cat -n",
        "cat /sys/kernel/mm/transparent_hugepage/enabled",
        "cat s /proc/filesystems s",
    ] {
        same_as_gnu(S, script);
    }
}

#[test]
fn carriage_returns_across_files_and_buffers() {
    let edge: Vec<u8> = [vec![b'x'; 131_071], b"\r\n".to_vec()].concat();
    let files: &[(&str, &[u8])] =
        &[("r", b"a\r"), ("n", b"\nb"), ("rr", b"\r\r"), ("edge", &edge), ("e", b"")];
    for options in ["-E", "-nE", "-bE", "-sE", "-ET", "-vE", "-A", "-sbET"] {
        for operands in
            ["r n", "r e n", "rr n", "r r", "rr rr n r", "edge", "r nofile n", "r", "edge edge"]
        {
            same_as_gnu(files, &format!("cat {options} {operands} 2>&1"));
        }
    }
    same_as_gnu(files, "{ printf 'a\\r'; /bin/cat e; printf '\\nb'; } | cat -E");
}

#[test]
fn messages_stand_where_they_happen() {
    for script in [
        "cat s nofile s 2>&1",
        "cat s s s nofile s e . s nofile2 2>&1",
        "cat -n s nofile s 2>&1",
        "cat s - nofile s <a 2>&1",
        "cat s s a s 2>&1 >>a",
    ] {
        same_as_gnu(S, script);
    }
}

#[test]
fn an_unfinished_line_goes_on_in_the_next_file() {
    let files: &[(&str, &[u8])] = &[("a", b"one"), ("b", b"two\n\n"), ("c", b"\n\nthree")];
    for options in ["-n", "-b", "-s", "-sn", "-bn", "-nE", "-sA"] {
        same_as_gnu(files, &format!("cat {options} a b c c a b"));
    }
}

#[test]
fn names_in_every_locale() {
    for locale in ["C", "POSIX", "C.UTF-8", "C.utf8", "en_US.UTF-8", "de_DE", "de_DE.UTF-8@euro"] {
        for variable in ["LC_ALL", "LC_CTYPE", "LANG"] {
            let script = format!(
                "unset LC_ALL; export {variable}={locale} 2>/dev/null
                 cat 'ä' 'a b' \"a'b\" $'\\xff' '日本' '‘x’' ''"
            );
            same_as_gnu(S, &script);
        }
    }
}

#[test]
fn the_name_is_the_last_part_of_the_path() {
    // GNU 9.1 shows the whole path in errors; later ones do not.
    check(S, "$PATH/cat nofile", (1, "", "cat: nofile: No such file or directory\n"));
    check(
        S,
        "exec -a ./x/kitten cat -x",
        (
            1,
            "",
            "./x/kitten: invalid option -- 'x'\nTry './x/kitten --help' for more information.\n",
        ),
    );
    check(S, "exec -a x/kitten cat no", (1, "", "kitten: no: No such file or directory\n"));
}

#[test]
fn names_that_older_versions_quote_wrongly() {
    // The first `$'` is missing in GNU 9.1, which repeats a pass over the name without starting
    // afresh.
    check(S, "cat $'\\n\\'\\n'", (1, "", "cat: ''$'\\n'\\'''$'\\n': No such file or directory\n"));
}
