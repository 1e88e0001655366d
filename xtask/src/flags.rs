//! The flag tables of the programs, taken from their sources as they are, so that the parser,
//! `--help`, the manual page and the completions cannot disagree.
//!
//! The big programs keep theirs in a `clap` file that is compiled in here. The small ones have no
//! argument framework; their `--help` text is the table, and [`from_help`] reads it.

use clap::{Arg, ArgAction, Command, ValueHint};

#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "another crate's file: there its items are public and used"
)]
#[path = "../../crates/blog/src/cli.rs"]
pub(crate) mod blog;

#[allow(
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "another crate's file: there its items are public and used"
)]
#[path = "../../crates/lab/src/cli.rs"]
pub(crate) mod lab;

/// What a program accepts, and what its manual page says beyond that.
pub(crate) struct Flags {
    /// Options, operands and subcommands.
    pub(crate) command: Command,
    /// Further sections: heading, and text to be shown as it stands.
    pub(crate) notes: Vec<(String, String)>,
}

/// Flags of a program that has a `clap` table.
pub(crate) fn of_clap(command: Command) -> Flags {
    Flags { command, notes: Vec::new() }
}

/// Flags of `lissom-cat`.
pub(crate) fn cat() -> Flags {
    let text = help_text(include_str!("../../crates/streams/src/cat/options.rs"));
    from_help("lissom-cat", &text)
}

/// Flags of `lissom-tr`.
pub(crate) fn tr() -> Flags {
    let text = help_text(include_str!("../../crates/streams/src/tr/options.rs"));
    from_help("lissom-tr", &text)
}

/// The value of `HELP_TEXT` in a Rust source file.
///
/// # Panics
/// When there is none: the file is known when we are compiled, and `gen` is tested.
fn help_text(source: &str) -> String {
    let (_, rest) = source.split_once("const HELP_TEXT: &str = ").expect("a HELP_TEXT");
    if let Some(raw) = rest.strip_prefix("r\"") {
        return raw.split_once('"').expect("the end of the text").0.to_owned();
    }
    let mut text = String::new();
    let mut signs = rest.strip_prefix('"').expect("a plain string").chars();
    loop {
        match signs.next().expect("the end of the text") {
            '"' => return text,
            '\\' => match signs.next().expect("an escape") {
                '\n' => {}
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            },
            sign => text.push(sign),
        }
    }
}

/// Reads a help text in GNU's form: usage line, description, indented options, further sections.
/// `{}` stands for the program's name.
fn from_help(name: &'static str, text: &str) -> Flags {
    let text = text.replace("{}", name);
    let mut parts = text.split("\n\n");
    let head = parts.next().unwrap_or_default();
    let (usage, about) = head.split_once('\n').unwrap_or((head, ""));
    let about = about.replace('\n', " ");
    let summary = about.split(['.', ':']).next().unwrap_or_default().to_owned();
    let mut command = Command::new(name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(summary)
        .long_about(about)
        .disable_help_flag(true)
        .disable_version_flag(true);
    let mut notes: Vec<(String, String)> = Vec::new();
    for part in parts {
        if part.trim_start().starts_with('-') {
            command = command.args(options(part));
        } else if let Some((heading, body)) = part.split_once('\n') {
            // A whole sentence is no heading.
            notes.push(match heading.split_whitespace().count() {
                ..=3 => (heading.trim_end_matches(':').to_owned(), body.trim_end().to_owned()),
                _ => ("Notes".to_owned(), part.trim_end().to_owned()),
            });
        }
    }
    Flags { command: command.args(operands(usage)), notes }
}

/// Options of an indented list: `-s, --long   what it does`, with deeper lines continuing it.
fn options(list: &str) -> Vec<Arg> {
    let mut entries: Vec<(&str, String)> = Vec::new();
    for line in list.lines() {
        let line = line.trim();
        if line.starts_with('-') {
            let (names, help) = line.split_once("  ").unwrap_or((line, ""));
            entries.push((names, help.trim().to_owned()));
        } else if let Some((_, help)) = entries.last_mut() {
            *help = format!("{help} {line}");
        }
    }
    entries.into_iter().map(|(names, help)| option(names, help)).collect()
}

fn option(names: &str, mut help: String) -> Arg {
    let mut arg = Arg::new(names.to_owned()).action(ArgAction::SetTrue);
    for name in names.split(", ") {
        match name.strip_prefix("--") {
            Some(long) => arg = arg.long(long.to_owned()),
            None => {
                let letter = name.chars().nth(1).expect("a dash and a letter");
                let first = arg.get_short().is_none();
                arg = if first { arg.short(letter) } else { arg.visible_short_alias(letter) };
                if !first {
                    help = format!("{help} (also {name})");
                }
            }
        }
    }
    arg.help(help)
}

/// Operands of a usage line, `[X]` optional and `...` repeated; files get files completed.
fn operands(usage: &str) -> Vec<Arg> {
    usage
        .split_whitespace()
        .skip(2) // "Usage:" and the name
        .filter(|word| !word.starts_with("[OPTION]"))
        .map(|word| {
            let repeated = word.ends_with("...");
            let word = word.trim_end_matches("...");
            let name = word.trim_matches(['[', ']']).to_owned();
            let hint = if name == "FILE" { ValueHint::FilePath } else { ValueHint::Other };
            let action = if repeated { ArgAction::Append } else { ArgAction::Set };
            Arg::new(name).required(!word.starts_with('[')).action(action).value_hint(hint)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HELP: &str = "\
Usage: {} [OPTION]... SET [FILE]...
Write the FILEs,
one after the other.

  -A, --all         everything
  -c, -C, --cut     a part, and
                      no more
  -u                ignored
      --help        print this

A SET is nearly anything:
  a-b

Examples:
  {} a   Write a.
";

    #[test]
    fn a_help_text_is_a_flag_table() {
        let Flags { command, notes } = from_help("p", HELP);
        assert_eq!(
            command.get_about().unwrap().to_string(),
            "Write the FILEs, one after the other"
        );
        let shown: Vec<String> = command
            .get_arguments()
            .map(|arg| {
                let short = arg.get_short_and_visible_aliases().unwrap_or_default();
                let short: String = short.into_iter().collect();
                let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
                format!("{short}|{}|{help}", arg.get_long().unwrap_or_default())
            })
            .collect();
        let expected = [
            "A|all|everything",
            "cC|cut|a part, and no more (also -C)",
            "u||ignored",
            "|help|print this",
            "||",
            "||",
        ];
        assert_eq!(shown, expected);
        let operands: Vec<(String, bool)> = command
            .get_positionals()
            .map(|arg| (arg.get_id().to_string(), arg.is_required_set()))
            .collect();
        assert_eq!(operands, [("SET".to_owned(), true), ("FILE".to_owned(), false)]);
        let note = |heading: &str, text: &str| (heading.to_owned(), text.to_owned());
        let expected = [
            note("Notes", "A SET is nearly anything:\n  a-b"),
            note("Examples", "  p a   Write a."),
        ];
        assert_eq!(notes, expected);
    }

    #[test]
    fn the_text_is_found_in_its_source() {
        let plain = "x\nconst HELP_TEXT: &str = \"\\\nUsage: \\\"{}\\\"\\n\\\\\";\ny \"z\"";
        assert_eq!(help_text(plain), "Usage: \"{}\"\n\\");
        let raw = "const HELP_TEXT: &str = r\"Usage: \\n\n\";\n";
        assert_eq!(help_text(raw), "Usage: \\n\n");
    }

    #[test]
    fn the_small_programs_tell_all_their_options() {
        let letters = |flags: &Flags| -> String {
            let arguments = flags.command.get_arguments();
            arguments.filter_map(Arg::get_short_and_visible_aliases).flatten().collect()
        };
        assert_eq!(letters(&cat()), "AbeEnstTuv");
        assert_eq!(letters(&tr()), "cCdst");
    }
}
