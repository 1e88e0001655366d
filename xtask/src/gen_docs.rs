//! `gen`: manual pages and completions, from the flag table that the parser itself uses.

use crate::error::{Error, Result};
use crate::flags::Flags;
use crate::programs::{PROGRAMS, Program};
use crate::repo;
use clap::Command;
use clap_complete::Shell;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;

/// Folders of a package that hold generated files and nothing else.
const FOLDERS: &[&str] = &["man", "completions"];

/// `cargo xtask gen [--check]`.
pub(crate) fn run(check: bool) -> Result {
    let root = repo::root()?;
    let mut differing = 0;
    if check {
        drift(&root, |path, what| {
            println!("{path}: {what}");
            differing += 1;
        })?;
        return if differing == 0 { Ok(()) } else { Err(Error::Negative) };
    }
    let generated = generate_all()?;
    for (path, text) in &generated {
        let on_disk = root.join(path);
        if std::fs::read_to_string(&on_disk).ok().as_ref() != Some(text) {
            let folder = on_disk.parent().expect("a generated file lies in a folder of ours");
            std::fs::create_dir_all(folder).map_err(Error::at(folder))?;
            std::fs::write(&on_disk, text).map_err(Error::at(&on_disk))?;
            println!("gen: wrote {path}");
        }
    }
    for path in strays(&root, &generated)? {
        let on_disk = root.join(&path);
        std::fs::remove_file(&on_disk).map_err(Error::at(&on_disk))?;
        println!("gen: removed {path}");
    }
    Ok(())
}

/// Calls `report` with path and remark for each generated file that is not as it would be now.
pub(crate) fn drift(root: &Path, mut report: impl FnMut(String, String)) -> Result {
    const REMEDY: &str = "run `cargo xtask gen`";
    let generated = generate_all()?;
    for (path, text) in &generated {
        match std::fs::read_to_string(root.join(path)) {
            Ok(found) if found == *text => {}
            Ok(_) => report(path.clone(), format!("differs from the flag table; {REMEDY}")),
            Err(error) => report(path.clone(), format!("{error}; {REMEDY}")),
        }
    }
    for path in strays(root, &generated)? {
        report(path, format!("belongs to no program; {REMEDY}"));
    }
    Ok(())
}

/// Generated files by path relative to the root.
type Generated = BTreeMap<String, String>;

fn generate_all() -> Result<Generated> {
    let mut generated = Generated::new();
    for program in PROGRAMS {
        generate(program, &mut generated)?;
    }
    Ok(generated)
}

/// All that one program ships beside its binary.
fn generate(program: &Program, generated: &mut Generated) -> Result {
    let Program { name, folder, .. } = program;
    let Flags { command, notes } = (program.flags)();
    for shell in [Shell::Bash, Shell::Fish, Shell::Zsh] {
        let file = completion_file(name, shell);
        let mut bytes = Vec::new();
        clap_complete::generate(shell, &mut command.clone(), *name, &mut bytes);
        generated.insert(format!("{folder}/completions/{file}"), tidied(bytes));
    }
    let mut command = command.disable_help_subcommand(true);
    command.build();
    for (file, page) in pages(&command, &notes).map_err(|error| Error::failed(name, error))? {
        let path = format!("{folder}/man/{file}");
        if generated.insert(path, page).is_some() {
            return Err(Error::failed(file, "two programs have a page of this name"));
        }
    }
    Ok(())
}

/// The name under which each shell looks for the completions of `name`.
pub(crate) fn completion_file(name: &str, shell: Shell) -> String {
    match shell {
        Shell::Zsh => format!("_{name}"),
        Shell::Fish => format!("{name}.fish"),
        _ => format!("{name}.bash"),
    }
}

/// The page of a command, and of each of its subcommands.
fn pages(command: &Command, notes: &[(String, String)]) -> io::Result<Vec<(String, String)>> {
    let page = clap_mangen::Man::new(command.clone())
        .source(concat!("Lissom ", env!("CARGO_PKG_VERSION")))
        .manual("Lissom");
    let mut bytes = Vec::new();
    page.render(&mut bytes)?;
    bytes = without_bare_entries(&bytes);
    for (heading, text) in notes {
        bytes.extend(section(heading, text).into_bytes());
    }
    let mut all = vec![(page.get_filename(), tidied(bytes))];
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        all.extend(pages(subcommand, &[])?);
    }
    Ok(all)
}

/// A page without the list entries that say nothing beyond their name, which stands in the
/// synopsis already.
fn without_bare_entries(page: &[u8]) -> Vec<u8> {
    let page = String::from_utf8_lossy(page);
    let mut entries = page.split(".TP\n");
    let mut kept = entries.next().unwrap_or_default().to_owned();
    for entry in entries {
        match entry.split_once("\n\n") {
            Some((name, rest)) if !name.contains('\n') => kept += rest,
            _ => kept = kept + ".TP\n" + entry,
        }
    }
    kept.into_bytes()
}

/// A section of a manual page whose text stands as it is.
fn section(heading: &str, text: &str) -> String {
    let mut roff = format!(".SH {}\n.nf\n", heading.to_uppercase());
    for line in text.lines() {
        let guard = if line.starts_with(['.', '\'']) { r"\&" } else { "" };
        roff += guard;
        for sign in line.chars() {
            // What the page's own language would take for something else.
            match sign {
                '\\' => roff += r"\e",
                '-' => roff += r"\-",
                '\'' => roff += r"\(aq",
                '^' => roff += r"\(ha",
                '~' => roff += r"\(ti",
                sign => roff.push(sign),
            }
        }
        roff.push('\n');
    }
    roff + ".fi\n"
}

/// Text as the house rules want it: no white space at the ends of lines, one last line break.
fn tidied(bytes: Vec<u8>) -> String {
    let text = String::from_utf8(bytes).expect("flag tables are text");
    let lines: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

/// Files in generated folders that nobody generates any more.
fn strays(root: &Path, generated: &Generated) -> Result<Vec<String>> {
    let mut strays = Vec::new();
    for program in PROGRAMS {
        for part in FOLDERS {
            let folder = format!("{}/{part}", program.folder);
            let on_disk = root.join(&folder);
            let entries = match std::fs::read_dir(&on_disk) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                other => other.map_err(Error::at(&on_disk))?,
            };
            for entry in entries {
                let entry = entry.map_err(Error::at(&on_disk))?;
                let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if !generated.contains_key(&path) && !strays.contains(&path) {
                    strays.push(path);
                }
            }
        }
    }
    strays.sort();
    Ok(strays)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_testkit::{absent, folder, launch};
    use std::process;

    fn sample() -> Program {
        Program {
            name: "sample",
            package: "sample",
            folder: "crates/sample",
            flags: || Flags {
                command: Command::new("sample")
                    .about("Takes samples")
                    .arg(clap::Arg::new("deep").long("deep").short('d').help("Go deep"))
                    .subcommand(Command::new("report").about("Writes"))
                    .subcommand(Command::new("render").about("Draws"))
                    .subcommand(Command::new("bench").about("Measures")),
                notes: vec![("Examples".to_owned(), "  sample -d '^'\n.hidden \\n".to_owned())],
            },
            replaces: &[],
            fuzz: None,
        }
    }

    fn generated() -> Generated {
        let mut generated = Generated::new();
        generate(&sample(), &mut generated).unwrap();
        generated
    }

    #[test]
    fn every_flag_and_command_has_its_place() {
        let generated = generated();
        let names: Vec<&str> =
            generated.keys().map(|path| path.rsplit_once('/').unwrap().1).collect();
        let expected = [
            "_sample",
            "sample.bash",
            "sample.fish",
            "sample-bench.1",
            "sample-render.1",
            "sample-report.1",
            "sample.1",
        ];
        assert_eq!(names, expected);
        let page = &generated["crates/sample/man/sample.1"];
        for part in [
            "Takes samples",
            r"\-\-deep",
            "Go deep",
            r"sample\-report(1)",
            ".SH EXAMPLES\n.nf\n  sample \\-d \\(aq\\(ha\\(aq\n\\&.hidden \\en\n.fi\n",
        ] {
            assert!(page.contains(part), "{part} is not in:\n{page}");
        }
        assert!(generated.values().all(|text| !text.contains(" \n") && text.ends_with('\n')));
    }

    #[test]
    fn entries_without_a_text_are_left_out() {
        let page = ".SH OPTIONS\n.TP\n-a\nall\n.TP\n<FILE>\n\n.TP\n[X]\n\n.SH VERSION\n";
        let kept = String::from_utf8(without_bare_entries(page.as_bytes())).unwrap();
        assert_eq!(kept, ".SH OPTIONS\n.TP\n-a\nall\n.SH VERSION\n");
    }

    #[test]
    fn two_pages_of_one_name_are_refused() {
        let mut twice = generated();
        assert!(generate(&sample(), &mut twice).is_err());
    }

    /// What `shell` offers after `sample re`, with the completions of the sample loaded.
    fn offered(shell: &str, file: &str, script: &str) -> Option<String> {
        let folder = folder();
        let path = folder.path().join(file);
        std::fs::write(&path, &generated()[&format!("crates/sample/completions/{file}")]).unwrap();
        let found = process::Command::new(shell).args(["-c", "exit 0"]).status();
        if found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            absent(shell);
            return None;
        }
        let mut command = process::Command::new(shell);
        command.args(["-c", script]).env("FILE", &path).env("HOME", folder.path());
        let ended = launch::run(&mut command, b"");
        assert!(ended.status.success(), "{}", ended.stderr_text());
        Some(ended.stdout_text())
    }

    #[test]
    fn bash_completes() {
        let script = "source \"$FILE\"; COMP_WORDS=(sample re); COMP_CWORD=1; \
                      _sample sample re sample; printf '%s\\n' \"${COMPREPLY[@]}\" | sort";
        if let Some(offered) = offered("bash", "sample.bash", script) {
            assert_eq!(offered, "render\nreport\n");
        }
    }

    #[test]
    fn fish_completes() {
        let script = "source $FILE; complete -C 'sample re' | sort";
        if let Some(offered) = offered("fish", "sample.fish", script) {
            assert_eq!(offered, "render\tDraws\nreport\tWrites\n");
        }
    }

    #[test]
    fn zsh_accepts_the_function() {
        // Offering needs a terminal with a line editor; that the function loads does not.
        let script = "autoload -Uz compinit && compinit -D -u && source $FILE && \
                      print $_comps[sample]";
        if let Some(offered) = offered("zsh", "_sample", script) {
            assert_eq!(offered, "_sample\n");
        }
    }
}
