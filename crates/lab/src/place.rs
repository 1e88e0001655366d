//! Where things are: the sources, the programs, what may be thrown away and what is kept.

use crate::cli::Cli;
use crate::error::{Error, Result};
use std::env;
use std::path::{Path, PathBuf};

/// The folder, below the sources, in which the suites are.
pub const SUITES: &str = "crates/lab/suites";

/// The places one run of the lab works with.
#[derive(Clone, Debug)]
pub struct Place {
    /// The project's sources.
    pub root: PathBuf,
    /// The folder of the running program: cargo puts the others beside it.
    pub bin: PathBuf,
    /// What can be made again: inputs, programs built for a measurement.
    pub cache: PathBuf,
    /// Raw results, only ever appended to.
    pub results: PathBuf,
}

impl Place {
    /// Finds all places from the command line and the environment.
    ///
    /// # Errors
    /// When the sources cannot be found, or there is neither an XDG folder nor a home.
    pub fn find(cli: &Cli) -> Result<Self> {
        let exe = env::current_exe()
            .map_err(|cause| Error::System { subject: "own path".into(), cause })?;
        let bin = exe.parent().unwrap_or(Path::new("/")).to_path_buf();
        let here = env::current_dir()
            .map_err(|cause| Error::System { subject: "working folder".into(), cause })?;
        let root = match &cli.root {
            Some(root) if is_root(root) => root.clone(),
            Some(root) => return Err(Error::NoSources(root.clone())),
            None => [&here, &bin]
                .iter()
                .flat_map(|start| start.ancestors())
                .find(|folder| is_root(folder))
                .map(Path::to_path_buf)
                .ok_or(Error::NoSources(here))?,
        };
        let results = match &cli.results {
            Some(file) => file.clone(),
            None => xdg("XDG_STATE_HOME", ".local/state")?.join("results.jsonl"),
        };
        Ok(Place { root, bin, cache: xdg("XDG_CACHE_HOME", ".cache")?, results })
    }

    /// The folder of the suites and their article templates.
    #[must_use]
    pub fn suites(&self) -> PathBuf {
        self.root.join(SUITES)
    }
}

fn is_root(folder: &Path) -> bool {
    folder.join(SUITES).is_dir()
}

/// Our folder below an XDG base; a relative base is to be ignored, says the specification.
fn xdg(variable: &str, below_home: &str) -> Result<PathBuf> {
    let base = env::var_os(variable).map(PathBuf::from).filter(|base| base.is_absolute());
    let base = base.or_else(|| env::home_dir().map(|home| home.join(below_home)));
    base.map(|base| base.join("lissom")).ok_or_else(|| Error::System {
        subject: variable.to_owned(),
        cause: std::io::Error::other("not set, and there is no home folder"),
    })
}
