//! The one table of what the family ships. A new program is one entry here.

use crate::error::{Error, Result};
use crate::flags::{self, Flags};
use clap::CommandFactory;

/// A program that people install.
pub(crate) struct Program {
    /// What users type.
    pub(crate) name: &'static str,
    /// The package that builds it.
    pub(crate) package: &'static str,
    /// The package's folder; `man/` and `completions/` lie in it.
    pub(crate) folder: &'static str,
    /// Its flag table.
    pub(crate) flags: fn() -> Flags,
    /// Names that `install --drop-in` links to it.
    pub(crate) replaces: &'static [&'static str],
    /// Which of the package's integration tests `fuzz` runs at length, by part of their names.
    pub(crate) fuzz: Option<&'static str>,
}

/// All of them, the front desk first.
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "lissom",
        package: "lissom-lab",
        folder: "crates/lab",
        flags: || flags::of_clap(flags::lab::Cli::command()),
        replaces: &[],
        fuzz: None,
    },
    Program {
        name: "lissom-blog",
        package: "lissom-blog",
        folder: "crates/blog",
        flags: || flags::of_clap(flags::blog::Cli::command()),
        replaces: &[],
        fuzz: None,
    },
    Program {
        name: "lissom-cat",
        package: "lissom-streams",
        folder: "crates/streams",
        flags: flags::cat,
        replaces: &["cat"],
        fuzz: Some("cat::differential"),
    },
    Program {
        name: "lissom-tr",
        package: "lissom-streams",
        folder: "crates/streams",
        flags: flags::tr,
        replaces: &["tr"],
        fuzz: Some("tr::differential"),
    },
];

/// The program that is called `name`, `lissom-name`, or replaces `name`.
pub(crate) fn find(name: &str) -> Result<&'static Program> {
    PROGRAMS
        .iter()
        .find(|program| {
            program.name == name
                || program.name.strip_prefix("lissom-") == Some(name)
                || program.replaces.contains(&name)
        })
        .ok_or_else(|| Error::Usage(format!("no program is called '{name}'")))
}

/// The packages of all programs, each once, in the table's order.
pub(crate) fn packages() -> Vec<&'static str> {
    let mut packages = Vec::new();
    for program in PROGRAMS {
        if !packages.contains(&program.package) {
            packages.push(program.package);
        }
    }
    packages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_go_by_any_of_their_names() {
        assert_eq!(find("lissom-blog").unwrap().name, "lissom-blog");
        assert_eq!(find("blog").unwrap().name, "lissom-blog");
        assert_eq!(find("cat").unwrap().name, "lissom-cat");
        assert_eq!(find("frob").err().unwrap().status(), 2);
    }

    #[test]
    fn a_package_is_built_once() {
        assert_eq!(packages(), ["lissom-lab", "lissom-blog", "lissom-streams"]);
    }

    #[test]
    fn a_flag_table_knows_its_program() {
        for program in PROGRAMS {
            let mut flags = (program.flags)().command;
            assert_eq!(flags.get_name(), program.name);
            flags.build();
            flags.debug_assert();
        }
    }
}
