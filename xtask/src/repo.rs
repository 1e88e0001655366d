//! The working tree: where it is and which files belong to it.

use crate::error::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the workspace. Taken from cargo at run time rather than at build time, so that two
/// clones can share a target folder.
pub(crate) fn root() -> Result<PathBuf> {
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| Error::failed("CARGO_MANIFEST_DIR", "not set; run `cargo xtask`"))?;
    Path::new(&manifest)
        .parent()
        .map(Path::to_path_buf)
        .ok_or_else(|| Error::failed(manifest.display(), "has no parent folder"))
}

/// Files of the tree: tracked ones that exist, and new ones that are not ignored. Sorted, with
/// `/` between the parts, relative to `root`.
pub(crate) fn files(root: &Path) -> Result<Vec<String>> {
    let listing = git(root, &["ls-files", "-z", "--cached", "--others", "--exclude-standard"])?;
    let mut files: Vec<String> = listing
        .split('\0')
        .filter(|path| !path.is_empty() && root.join(path).symlink_metadata().is_ok())
        .map(str::to_owned)
        .collect();
    files.sort_unstable();
    files.dedup();
    Ok(files)
}

/// What `git status --porcelain` prints: empty when nothing was changed or added.
pub(crate) fn changes(root: &Path) -> Result<String> {
    git(root, &["status", "--porcelain"])
}

fn git(root: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(root)
        .args(arguments)
        .output()
        .map_err(|error| Error::failed("git", error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::failed("git", said));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Error::failed("git", "a file name is not UTF-8, and ours all are"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_tracked_or_new_but_never_ignored_or_deleted() {
        let folder = lissom_testkit::folder();
        let root = folder.path();
        git(root, &["init", "--quiet"]).unwrap();
        for name in ["tracked", "new", "ignored", "deleted"] {
            std::fs::write(root.join(name), name).unwrap();
        }
        std::fs::write(root.join(".gitignore"), "ignored\n").unwrap();
        git(root, &["add", "tracked", "deleted", ".gitignore"]).unwrap();
        std::fs::remove_file(root.join("deleted")).unwrap();
        assert_eq!(files(root).unwrap(), [".gitignore", "new", "tracked"]);
        assert!(changes(root).unwrap().contains("?? new"));
    }

    #[test]
    fn a_folder_outside_git_is_a_failure() {
        let folder = lissom_testkit::folder();
        let error = files(folder.path()).unwrap_err();
        assert!(error.line().unwrap().starts_with("git: "), "{error:?}");
    }
}
