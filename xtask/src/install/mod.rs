//! `install` and `uninstall`: programs, manual pages and completions in the standard places.
//!
//! A manifest below the prefix lists what was put there. It makes three promises possible: a file
//! that is not ours is never overwritten, a second call changes nothing, and `uninstall` takes
//! away exactly what came. It is written before the first file, so that an interrupted call can
//! be repeated or undone.

mod manifest;

use crate::args::{Install, Place};
use crate::cargo::{self, Workspace};
use crate::error::{Error, Result};
use crate::gen_docs::completion_file;
use crate::programs::{self, PROGRAMS, Program};
use crate::repo;
use clap_complete::Shell;
use manifest::{MANIFEST, Manifest};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// What a path below the prefix will hold.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Content {
    /// A copy of a file, executable or not.
    File { bytes: Vec<u8>, executable: bool },
    /// A symbolic link to a name in the same folder.
    Link(&'static str),
}

/// A path relative to the prefix, and what belongs there.
type Item = (String, Content);

/// `cargo xtask install`.
pub(crate) fn run(options: &Install) -> Result {
    let root = repo::root()?;
    let workspace = Workspace::read(&root)?;
    let top = top(&options.place)?;
    probe(&top)?;
    for package in programs::packages() {
        cargo::build_release(&root, package)?;
    }
    let mut items = Vec::new();
    for program in PROGRAMS {
        collect(program, &root, &workspace.release(), options.drop_in, &mut items)?;
    }
    let written = apply(&top, &items)?;
    println!(
        "install: {} files below {}, {written} of them new or changed",
        items.len(),
        top.display()
    );
    Ok(())
}

/// `cargo xtask uninstall`.
pub(crate) fn uninstall(place: &Place) -> Result {
    let top = top(place)?;
    let removed = remove(&top)?;
    println!("uninstall: {removed} files removed below {}", top.display());
    Ok(())
}

/// The folder that receives `bin/` and `share/`.
fn top(place: &Place) -> Result<PathBuf> {
    let prefix = std::path::absolute(&place.prefix).map_err(Error::at(&place.prefix))?;
    if place.destdir.as_os_str().is_empty() {
        return Ok(prefix);
    }
    let destdir = std::path::absolute(&place.destdir).map_err(Error::at(&place.destdir))?;
    Ok(destdir.join(prefix.strip_prefix("/").unwrap_or(&prefix)))
}

/// Finds out, before minutes are spent on building, whether anything can be written below `top`.
fn probe(top: &Path) -> Result {
    let exists = |folder: &&Path| folder.symlink_metadata().is_ok();
    let nearest = top.ancestors().find(exists).unwrap_or(top);
    let file = nearest.join(format!(".lissom-probe-{}", std::process::id()));
    fs::write(&file, "").and_then(|()| fs::remove_file(&file)).map_err(Error::at(nearest))
}

/// All that one program brings.
fn collect(
    program: &Program,
    root: &Path,
    release: &Path,
    drop_in: bool,
    items: &mut Vec<Item>,
) -> Result {
    let Program { name, folder, .. } = program;
    let file = |path: &Path, executable| {
        fs::read(path).map(|bytes| Content::File { bytes, executable }).map_err(Error::at(path))
    };
    items.push((format!("bin/{name}"), file(&release.join(name), true)?));
    for replaced in program.replaces.iter().filter(|_| drop_in) {
        items.push((format!("bin/{replaced}"), Content::Link(program.name)));
    }
    let shells = [
        (Shell::Bash, "share/bash-completion/completions", (*name).to_owned()),
        (Shell::Fish, "share/fish/vendor_completions.d", completion_file(name, Shell::Fish)),
        (Shell::Zsh, "share/zsh/site-functions", completion_file(name, Shell::Zsh)),
    ];
    for (shell, place, installed_as) in shells {
        let source = root.join(folder).join("completions").join(completion_file(name, shell));
        items.push((format!("{place}/{installed_as}"), file(&source, false)?));
    }
    let pages = root.join(folder).join("man");
    let mut names = Vec::new();
    for entry in fs::read_dir(&pages).map_err(Error::at(&pages))? {
        names.push(entry.map_err(Error::at(&pages))?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for page in names.iter().filter(|page| page.ends_with(".1")) {
        let item = (format!("share/man/man1/{page}"), file(&pages.join(page), false)?);
        // Two programs of one package share the folder of their pages.
        if !items.contains(&item) {
            items.push(item);
        }
    }
    Ok(())
}

/// Makes `top` hold `items` and nothing else of ours; gives how many were written.
fn apply(top: &Path, items: &[Item]) -> Result<usize> {
    let old = Manifest::read(top)?;
    let mut new = Manifest::default();
    let mut changed: Vec<&Item> = Vec::new();
    // First look at everything, then touch anything.
    for item in items {
        let (path, content) = item;
        let digest = manifest::digest_of(content);
        new.add(path, digest);
        let on_disk = top.join(path);
        match manifest::digest_at(&on_disk)? {
            Some(found) if found == digest && old.lists(path, found) => {}
            Some(found) if !old.lists(path, found) => {
                return Err(Error::failed(
                    on_disk.display(),
                    "is there and not ours; left as it was",
                ));
            }
            _ => changed.push(item),
        }
    }
    let stale: Vec<(&str, PathBuf)> =
        old.paths().filter(|path| !new.names(path)).map(|path| (path, top.join(path))).collect();
    if !changed.is_empty() || !stale.is_empty() {
        old.union(&new).write(top)?;
        for (path, content) in &changed {
            write(&top.join(path), content)?;
        }
        for (path, on_disk) in stale {
            if manifest::digest_at(&on_disk)?.is_some_and(|found| old.lists(path, found)) {
                fs::remove_file(&on_disk).map_err(Error::at(&on_disk))?;
            }
        }
        new.write(top)?;
    }
    Ok(changed.len())
}

/// Takes away what the manifest lists, then the manifest, then folders that are empty.
fn remove(top: &Path) -> Result<usize> {
    let manifest = Manifest::read(top)?;
    if manifest.is_empty() {
        return Err(Error::failed(top.join(MANIFEST).display(), "nothing is installed here"));
    }
    let mut removed = 0;
    let mut kept = Vec::new();
    for path in manifest.paths() {
        let on_disk = top.join(path);
        match manifest::digest_at(&on_disk)? {
            None => {}
            Some(found) if manifest.lists(path, found) => {
                fs::remove_file(&on_disk).map_err(Error::at(&on_disk))?;
                removed += 1;
            }
            Some(_) => kept.push(on_disk),
        }
    }
    let list = top.join(MANIFEST);
    fs::remove_file(&list).map_err(Error::at(&list))?;
    for path in manifest.paths().chain([MANIFEST]) {
        for folder in Path::new(path).ancestors().skip(1) {
            // Folders that hold something else stay, and the prefix itself is not ours.
            if folder.as_os_str().is_empty() || fs::remove_dir(top.join(folder)).is_err() {
                break;
            }
        }
    }
    if kept.is_empty() {
        return Ok(removed);
    }
    let kept: Vec<String> = kept.iter().map(|path| path.display().to_string()).collect();
    Err(Error::failed(kept.join(" "), "changed since it was installed; left as it was"))
}

/// Puts `content` at `path` in one step: a reader sees the old file or the new one, and a running
/// program keeps its own.
fn write(path: &Path, content: &Content) -> Result {
    let folder = path.parent().expect("an installed file lies in a folder");
    fs::create_dir_all(folder).map_err(Error::at(folder))?;
    let name = path.file_name().expect("an installed file has a name").to_string_lossy();
    let fresh = folder.join(format!(".{name}.new-{}", std::process::id()));
    let made = make(&fresh, content).and_then(|()| fs::rename(&fresh, path));
    made.map_err(|error| {
        drop(fs::remove_file(&fresh));
        Error::failed(path.display(), error)
    })
}

fn make(path: &Path, content: &Content) -> io::Result<()> {
    match content {
        Content::Link(target) => symlink(target, path),
        Content::File { bytes, executable } => {
            fs::write(path, bytes)?;
            let mode = if *executable { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> Content {
        Content::File { bytes: text.as_bytes().to_vec(), executable: true }
    }

    fn items(list: &[(&str, Content)]) -> Vec<Item> {
        list.iter().map(|(path, content)| ((*path).to_owned(), content.clone())).collect()
    }

    fn two() -> Vec<Item> {
        items(&[("bin/lissom-cat", file("v1")), ("bin/cat", Content::Link("lissom-cat"))])
    }

    /// Everything below `top`, files and folders, sorted.
    fn below(top: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut ahead = vec![top.to_path_buf()];
        while let Some(folder) = ahead.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_dir() {
                    ahead.push(entry.path());
                } else {
                    found.push(entry.path().strip_prefix(top).unwrap().display().to_string());
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn what_comes_goes_again_and_nothing_else() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        fs::create_dir(top.join("bin")).unwrap();
        fs::write(top.join("bin/theirs"), "x").unwrap();
        assert_eq!(apply(top, &two()).unwrap(), 2);
        assert_eq!(below(top), ["bin/cat", "bin/lissom-cat", "bin/theirs", MANIFEST]);
        assert_eq!(fs::read_to_string(top.join("bin/cat")).unwrap(), "v1");
        let mode = fs::metadata(top.join("bin/lissom-cat")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        assert_eq!(remove(top).unwrap(), 2);
        assert_eq!(below(top), ["bin/theirs"]);
        assert!(!top.join("share").exists());
        assert!(remove(top).unwrap_err().line().unwrap().contains("nothing is installed"));
    }

    #[test]
    fn a_second_call_writes_nothing() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        apply(top, &two()).unwrap();
        let before = fs::metadata(top.join("bin/lissom-cat")).unwrap().modified().unwrap();
        assert_eq!(apply(top, &two()).unwrap(), 0);
        assert_eq!(fs::metadata(top.join("bin/lissom-cat")).unwrap().modified().unwrap(), before);
    }

    #[test]
    fn a_newer_version_replaces_and_drops_what_is_gone() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        apply(top, &two()).unwrap();
        let running = fs::File::open(top.join("bin/lissom-cat")).unwrap();
        let newer = items(&[("bin/lissom-cat", file("v2"))]);
        assert_eq!(apply(top, &newer).unwrap(), 1);
        assert_eq!(below(top), ["bin/lissom-cat", MANIFEST]);
        assert_eq!(fs::read_to_string(top.join("bin/lissom-cat")).unwrap(), "v2");
        assert_eq!(io::read_to_string(running).unwrap(), "v1");
    }

    #[test]
    fn a_foreign_file_is_never_touched() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        fs::create_dir(top.join("bin")).unwrap();
        fs::write(top.join("bin/cat"), "the system's").unwrap();
        let error = apply(top, &two()).unwrap_err();
        assert!(error.line().unwrap().contains("bin/cat: is there and not ours"), "{error:?}");
        assert_eq!(below(top), ["bin/cat"]);
        assert_eq!(fs::read_to_string(top.join("bin/cat")).unwrap(), "the system's");
    }

    #[test]
    fn a_file_that_somebody_replaced_is_foreign() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        apply(top, &two()).unwrap();
        fs::write(top.join("bin/lissom-cat"), "edited").unwrap();
        assert!(apply(top, &two()).is_err());
        let error = remove(top).unwrap_err();
        assert!(error.line().unwrap().contains("bin/lissom-cat: changed"), "{error:?}");
        assert_eq!(below(top), ["bin/lissom-cat"]);
    }

    #[test]
    fn an_interrupted_call_can_be_repeated_or_undone() {
        let folder = lissom_testkit::folder();
        let top = folder.path();
        // As after the manifest and the first file were written.
        let mut planned = Manifest::default();
        for (path, content) in two() {
            planned.add(&path, manifest::digest_of(&content));
        }
        planned.write(top).unwrap();
        write(&top.join("bin/lissom-cat"), &file("v1")).unwrap();
        assert_eq!(apply(top, &two()).unwrap(), 1);
        fs::remove_file(top.join("bin/cat")).unwrap();
        assert_eq!(remove(top).unwrap(), 1);
    }

    #[test]
    fn a_prefix_that_cannot_be_written_is_one_line() {
        // Not by permissions: tests may run as root, whom they do not stop.
        let folder = lissom_testkit::folder();
        let top = folder.path().join("file");
        fs::write(&top, "").unwrap();
        for top in [top.as_path(), Path::new("/proc/self/lissom")] {
            let error = apply(top, &two()).unwrap_err();
            let line = error.line().unwrap();
            assert!(line.starts_with(top.to_str().unwrap()) && !line.contains('\n'), "{line}");
            assert_eq!(error.status(), 2);
        }
    }

    #[test]
    fn a_destination_folder_stands_before_the_prefix() {
        let place =
            |prefix: &str, destdir: &str| Place { prefix: prefix.into(), destdir: destdir.into() };
        assert_eq!(top(&place("/usr", "")).unwrap(), Path::new("/usr"));
        assert_eq!(top(&place("/usr", "/tmp/x")).unwrap(), Path::new("/tmp/x/usr"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(top(&place("usr", "")).unwrap(), here.join("usr"));
    }

    #[test]
    fn every_program_brings_all_it_ships() {
        let folder = lissom_testkit::folder();
        let root = folder.path();
        for path in [
            "release/p",
            "c/man/p.1",
            "c/man/p-x.1",
            "c/man/notes",
            "c/completions/p.bash",
            "c/completions/p.fish",
            "c/completions/_p",
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), path).unwrap();
        }
        let program = Program {
            name: "p",
            package: "p",
            folder: "c",
            flags: || crate::flags::of_clap(clap::Command::new("p")),
            replaces: &["q"],
            fuzz: None,
        };
        let paths = |drop_in| {
            let mut items = Vec::new();
            collect(&program, root, &root.join("release"), drop_in, &mut items).unwrap();
            items.into_iter().map(|(path, _)| path).collect::<Vec<_>>()
        };
        let plain = [
            "bin/p",
            "share/bash-completion/completions/p",
            "share/fish/vendor_completions.d/p.fish",
            "share/zsh/site-functions/_p",
            "share/man/man1/p-x.1",
            "share/man/man1/p.1",
        ];
        assert_eq!(paths(false), plain);
        assert_eq!(paths(true)[..2], ["bin/p", "bin/q"]);
    }
}
