//! The source: a folder of articles, read once into memory.
//!
//! `DIR/<slug>/index.md` is an article; files beside it and in its sub-folders go with it. What is
//! not read cannot be served: hidden names, types that are not on the list, symbolic links that
//! lead out of DIR. A path in a request never touches the file system.

pub mod front_matter;
pub mod media;

use crate::error::{Error, Fault};
use front_matter::FrontMatter;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Longest `index.md`.
const ARTICLE_BYTES_MAX: u64 = 4 << 20;
/// Longest file beside it: bodies live in memory.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// Deepest sub-folder of an article.
const DEPTH_MAX: usize = 8;

/// Everything that will be published.
#[derive(Debug, Default)]
pub struct Content {
    /// Newest first; of the same day, and without a day, by name. Articles without a day come last.
    pub articles: Vec<Article>,
    /// What was left out and will surprise somebody.
    pub notes: Vec<Fault>,
}

/// One article and its files.
#[derive(Debug)]
pub struct Article {
    /// Name of its folder, and of its page.
    pub slug: String,
    /// Where it was read from, for messages.
    pub source: PathBuf,
    /// The whole file, front matter included, so that places in it are places in the file.
    pub text: String,
    /// Where the Markdown begins in `text`.
    pub body_start: usize,
    /// What it says about itself.
    pub head: FrontMatter,
    /// Files beside it, by name.
    pub files: Vec<File>,
}

/// A file beside an article.
#[derive(Debug)]
pub struct File {
    /// Path below the article's folder, with `/` between parts.
    pub name: String,
    /// Its `Content-Type`.
    pub media_type: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// Reads the folder.
///
/// # Errors
/// [`Error::Content`] with every complaint, not only the first: a writer fixes them in one go.
pub fn read(folder: &Path) -> Result<Content, Error> {
    let fail = |error| Error::Content(vec![Fault::io(folder.display(), &error)]);
    let root = fs::canonicalize(folder).map_err(fail)?;
    let mut reader = Reader { root, notes: Vec::new(), faults: Vec::new() };
    let mut articles = Vec::new();
    for entry in names(folder).map_err(fail)? {
        match entry {
            Ok(slug) => articles.extend(reader.article(folder, &slug)),
            Err(fault) => reader.faults.push(fault),
        }
    }
    if !reader.faults.is_empty() {
        return Err(Error::Content(reader.faults));
    }
    articles.sort_by(|a, b| b.head.date.cmp(&a.head.date).then_with(|| a.slug.cmp(&b.slug)));
    Ok(Content { articles, notes: reader.notes })
}

struct Reader {
    /// The folder without symbolic links: what links are compared with.
    root: PathBuf,
    notes: Vec<Fault>,
    faults: Vec<Fault>,
}

impl Reader {
    /// The article in `folder/slug`; `None` if there is none or it is broken (then a fault says so).
    fn article(&mut self, folder: &Path, slug: &str) -> Option<Article> {
        let home = folder.join(slug);
        let source = home.join("index.md");
        if !home.is_dir() || fs::symlink_metadata(&source).is_err() {
            return None; // a stray file, or a folder that is no article
        }
        let bytes = self.bytes(&source, ARTICLE_BYTES_MAX)?;
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let line = 1 + error.as_bytes()[..good].iter().filter(|b| **b == b'\n').count();
                let place = format!("{}:{line}", source.display());
                self.faults.push(Fault::new(place, "invalid UTF-8"));
                return None;
            }
        };
        let split = match front_matter::split(&text) {
            Ok(split) => split,
            Err(complaints) => {
                self.faults.extend(complaints.into_iter().map(|complaint| {
                    let place = format!("{}:{}", source.display(), complaint.line);
                    Fault::new(place, complaint.cause)
                }));
                return None;
            }
        };
        let mut files = Vec::new();
        self.files(&home, "", DEPTH_MAX, &mut files);
        let (head, body_start) = (split.head, split.body_start);
        Some(Article { slug: slug.to_owned(), source, text, body_start, head, files })
    }

    /// Collects the files of `home/below`, `below` being empty or ended by a slash.
    fn files(&mut self, home: &Path, below: &str, depth: usize, into: &mut Vec<File>) {
        let here = home.join(below);
        let entries = match names(&here) {
            Ok(entries) => entries,
            Err(error) => return self.faults.push(Fault::io(here.display(), &error)),
        };
        for entry in entries {
            let name = match entry {
                Ok(name) => format!("{below}{name}"),
                Err(fault) => {
                    self.faults.push(fault);
                    continue;
                }
            };
            let path = home.join(&name);
            // A linked folder is not entered: it could lead in circles.
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir());
            if is_folder && depth > 0 {
                self.files(home, &format!("{name}/"), depth - 1, into);
            } else if let Some(media_type) = media::media_type(&name)
                && let Some(bytes) = self.bytes(&path, FILE_BYTES_MAX)
            {
                into.push(File { name, media_type, bytes });
            }
        }
    }

    /// The content of a regular file inside the root. `None`: left out with a note, or faulty.
    fn bytes(&mut self, path: &Path, bytes_max: u64) -> Option<Vec<u8>> {
        let shown = path.display();
        let real = match fs::canonicalize(path) {
            Ok(real) => real,
            Err(error) => {
                self.faults.push(Fault::io(shown, &error));
                return None;
            }
        };
        if !real.starts_with(&self.root) {
            self.notes.push(Fault::new(shown, "left out: a symbolic link out of the folder"));
            return None;
        }
        let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        if real.strip_prefix(&self.root).is_ok_and(|inside| inside.iter().any(hidden)) {
            self.notes.push(Fault::new(shown, "left out: a symbolic link to a hidden file"));
            return None;
        }
        match read_bounded(&real, bytes_max) {
            Ok(Some(bytes)) => Some(bytes),
            Ok(None) => {
                self.notes.push(Fault::new(shown, "left out: not a regular file"));
                None
            }
            Err(error) => {
                self.faults.push(Fault::io(shown, &error));
                None
            }
        }
    }
}

/// `None` for what is not a regular file: opening a pipe would wait for its writer.
fn read_bounded(path: &Path, bytes_max: u64) -> std::io::Result<Option<Vec<u8>>> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(data.len().min(bytes_max)).unwrap_or(0));
    fs::File::open(path)?.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let cause = format!("larger than {} MiB", bytes_max >> 20);
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, cause));
    }
    Ok(Some(bytes))
}

/// The names in a folder that may be published, sorted: hidden ones are left out; one that no
/// address could carry is a complaint.
fn names(folder: &Path) -> std::io::Result<Vec<Result<String, Fault>>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        found.push(match name.into_string() {
            Ok(name) if servable(&name) => Ok(name),
            Ok(name) => Err(Fault::new(folder.join(name).display(), UNSERVABLE)),
            Err(name) => Err(Fault::new(folder.join(name).display(), UNSERVABLE)),
        });
    }
    found.sort_by(|a, b| a.as_ref().ok().cmp(&b.as_ref().ok()));
    Ok(found)
}

const UNSERVABLE: &str =
    "a name must be UTF-8 without control characters, backslash and U+FFFD, at most 200 bytes";

fn servable(name: &str) -> bool {
    name.len() <= 200 && !name.chars().any(|c| c.is_control() || c == '\\' || c == '\u{fffd}')
}
