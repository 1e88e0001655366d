//! Asking cargo: packages and their targets, dependency closures, builds.

use crate::error::{Error, Result};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The platform whose dependencies are checked. Others resolve to more crates that we never build.
const PLATFORM: &str = "x86_64-unknown-linux-gnu";

/// The cargo that runs us, at the root of the workspace.
pub(crate) fn command(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    // What `cargo run` sets for us is about the package xtask, not about what we build.
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_some_and(|name| name.starts_with("CARGO_PKG_")) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the release binaries of one package: one call each, because cargo unifies features over
/// what is built together and that fattens the small programs.
pub(crate) fn build_release(root: &Path, package: &str) -> Result {
    let arguments = ["build", "--release", "--locked", "--quiet", "--package", package];
    let status =
        command(root).args(arguments).status().map_err(|error| Error::failed("cargo", error))?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::failed(package, format!("the release build failed ({status})")))
    }
}

/// Names of the crates that a build of `package` takes in, without itself, sorted. Resolved for
/// this package alone, as it is built alone.
pub(crate) fn closure(root: &Path, package: &str) -> Result<BTreeSet<String>> {
    let output = output(
        command(root)
            .args(["tree", "--locked", "--package", package, "--target", PLATFORM])
            .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"]),
    )?;
    Ok(names_in_tree(&output, package))
}

/// First words of the lines of `cargo tree`, without `package`.
fn names_in_tree(tree: &str, package: &str) -> BTreeSet<String> {
    tree.lines()
        .filter_map(|line| line.split(' ').next())
        .filter(|name| !name.is_empty() && *name != package)
        .map(str::to_owned)
        .collect()
}

/// The workspace as `cargo metadata` describes it, with the dependencies of our platform only.
pub(crate) struct Workspace {
    /// Where builds go.
    pub(crate) target: PathBuf,
    /// Our own packages.
    pub(crate) members: Vec<Package>,
    /// Everything that any of them takes in, also for tests and build scripts.
    pub(crate) others: Vec<Package>,
}

/// One package.
#[derive(Debug, Default)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Licence expression; empty when the package states none.
    pub(crate) licence: String,
    /// Where it was taken from; empty for a path.
    pub(crate) source: String,
    /// Folder of its manifest.
    pub(crate) folder: PathBuf,
    /// Root source files of its targets.
    pub(crate) roots: Vec<PathBuf>,
    /// Names of its programs.
    pub(crate) programs: Vec<String>,
    /// Names of its benchmarks that do not run, tiny, with the tests.
    pub(crate) untested_benches: Vec<String>,
}

impl Workspace {
    /// Reads the workspace at `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let text = output(command(root).args([
            "metadata",
            "--format-version=1",
            "--locked",
            "--filter-platform",
            PLATFORM,
        ]))?;
        Self::parse(&text)
            .ok_or_else(|| Error::failed("cargo metadata", "an answer of an unknown shape"))
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let members: HashSet<&str> =
            value["workspace_members"].as_array()?.iter().filter_map(Value::as_str).collect();
        // `packages` lists every platform's; `resolve` only ours.
        let resolved: HashSet<&str> =
            value["resolve"]["nodes"].as_array()?.iter().filter_map(|n| n["id"].as_str()).collect();
        let mut workspace = Workspace {
            target: value["target_directory"].as_str()?.into(),
            members: Vec::new(),
            others: Vec::new(),
        };
        for package in value["packages"].as_array()? {
            let id = package["id"].as_str()?;
            let parsed = Package::parse(package)?;
            if members.contains(id) {
                workspace.members.push(parsed);
            } else if resolved.contains(id) {
                workspace.others.push(parsed);
            }
        }
        Some(workspace)
    }

    /// Folder of release binaries.
    pub(crate) fn release(&self) -> PathBuf {
        self.target.join("release")
    }

    /// Which of our packages builds this program.
    pub(crate) fn package_of(&self, program: &str) -> Option<&str> {
        let builds = |package: &&Package| package.programs.iter().any(|name| name == program);
        self.members.iter().find(builds).map(|package| package.name.as_str())
    }

    /// Versions of each crate that is resolved more than once.
    pub(crate) fn duplicates(&self) -> Vec<(String, Vec<String>)> {
        let mut versions: HashMap<&str, Vec<String>> = HashMap::new();
        for package in &self.others {
            versions.entry(&package.name).or_default().push(package.version.clone());
        }
        let mut twice: Vec<(String, Vec<String>)> = versions
            .into_iter()
            .filter(|(_, versions)| versions.len() > 1)
            .map(|(name, versions)| (name.to_owned(), versions))
            .collect();
        twice.sort();
        twice
    }
}

impl Package {
    fn parse(value: &Value) -> Option<Self> {
        let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
        let manifest = PathBuf::from(value["manifest_path"].as_str()?);
        let targets = value["targets"].as_array()?;
        Some(Package {
            name: text("name"),
            version: text("version"),
            licence: text("license"),
            source: text("source"),
            folder: manifest.parent()?.to_path_buf(),
            roots: targets
                .iter()
                .filter_map(|target| target["src_path"].as_str())
                .map(PathBuf::from)
                .collect(),
            programs: targets
                .iter()
                .filter(|target| is_kind(target, "bin"))
                .filter_map(|target| target["name"].as_str().map(str::to_owned))
                .collect(),
            untested_benches: targets
                .iter()
                .filter(|target| is_kind(target, "bench") && target["test"] != true)
                .filter_map(|target| target["name"].as_str().map(str::to_owned))
                .collect(),
        })
    }
}

fn is_kind(target: &Value, kind: &str) -> bool {
    target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|found| found == kind))
}

/// Standard output of a cargo call that must succeed.
fn output(command: &mut Command) -> Result<String> {
    let output = command.output().map_err(|error| Error::failed("cargo", error))?;
    if !output.status.success() {
        return Err(Error::failed("cargo", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_gives_each_name_once_and_not_its_own() {
        let tree = "\
lissom-blog v0.1.0 (/x/crates/blog)
libc v0.2.1
serde v1.0.0
libc v0.2.1 (*)
serde_derive v1.0.0 (proc-macro)
";
        let names: Vec<String> = names_in_tree(tree, "lissom-blog").into_iter().collect();
        assert_eq!(names, ["libc", "serde", "serde_derive"]);
    }

    #[test]
    fn metadata_is_cut_to_our_platform() {
        let package = |id: &str, name: &str, version: &str| {
            format!(
                r#"{{"id":"{id}","name":"{name}","version":"{version}","license":"MIT",
                "source":null,"manifest_path":"/w/{name}/Cargo.toml",
                "targets":[{{"kind":["bin"],"name":"{name}-cli","src_path":"/w/{name}/src/main.rs"}},
                {{"kind":["bench"],"name":"rots","test":false,"src_path":"/w/{name}/b.rs"}},
                {{"kind":["bench"],"name":"runs","test":true,"src_path":"/w/{name}/c.rs"}}]}}"#
            )
        };
        let packages = [
            package("me", "me", "1"),
            package("a1", "a", "1"),
            package("a2", "a", "2"),
            package("win", "win", "1"),
        ];
        let text = format!(
            r#"{{"workspace_members":["me"],"target_directory":"/w/target","packages":[{}],
            "resolve":{{"nodes":[{{"id":"me"}},{{"id":"a1"}},{{"id":"a2"}}]}}}}"#,
            packages.join(",")
        );
        let workspace = Workspace::parse(&text).unwrap();
        let [me] = workspace.members.as_slice() else { panic!("one member") };
        assert_eq!(me.folder, Path::new("/w/me"));
        assert_eq!(me.roots[0], Path::new("/w/me/src/main.rs"));
        assert_eq!(me.programs, ["me-cli"]);
        assert_eq!(me.untested_benches, ["rots"]);
        assert_eq!(workspace.package_of("me-cli"), Some("me"));
        assert_eq!(workspace.package_of("a-cli"), None);
        let others: Vec<&str> = workspace.others.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(others, ["a", "a"]);
        assert_eq!(workspace.duplicates(), [("a".to_owned(), vec!["1".into(), "2".into()])]);
        assert_eq!(workspace.release(), Path::new("/w/target/release"));
        assert!(Workspace::parse("{}").is_none());
    }
}
