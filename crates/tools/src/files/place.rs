//! Where a path really leads and whether a tool may go there: the only way file tools come to a file.
//!
//! Judges nothing but the directories of the context. The kernel keeps what is opened inside them: paths are walked
//! by directory handle in `sandbox`, and what was opened is looked at once more.

use crate::context::ToolContext;
use sandbox::{BeneathError, FileKind, ResolveError, Root};
use std::{
    fs::File,
    io,
    os::fd::AsRawFd as _,
    path::{Path, PathBuf},
};

/// The directories of a context as they really are. Made for one call.
#[derive(Debug)]
pub(crate) struct Grounds {
    workspace: PathBuf,
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    hidden: Vec<PathBuf>,
}

/// A path that may be used.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The directory everything stays in.
    root: PathBuf,
    /// Where the path really leads.
    pub(crate) real: PathBuf,
    /// What is there.
    pub(crate) kind: Option<FileKind>,
    /// How to speak of it.
    pub(crate) shown: String,
}

impl Grounds {
    /// Finds out where the directories of a context really are. One that does not exist is left out.
    pub(crate) fn of(context: &ToolContext) -> Result<Self, String> {
        let real = |path: &PathBuf| sandbox::resolve(path, &context.workspace).map(|found| found.real);
        let workspace = real(&context.workspace)
            .map_err(|error| format!("The workspace cannot be used: {}.", why(&error)))?;
        let all = |paths: &[PathBuf]| paths.iter().filter_map(|path| real(path).ok()).collect::<Vec<_>>();
        let writable = [vec![workspace.clone()], all(&context.write_dirs)].concat();
        let readable = [writable.clone(), all(&context.read_dirs)].concat();
        // A hidden path is hidden under the name it was given as well as under its real one.
        let hidden = [all(&context.hidden), context.hidden.clone()].concat();
        Ok(Self { workspace, readable, writable, hidden })
    }

    /// A path to be read.
    pub(crate) fn readable(&self, path: &str) -> Result<Place, String> {
        self.place(path, &self.readable)
    }

    /// A path to be written.
    pub(crate) fn writable(&self, path: &str) -> Result<Place, String> {
        self.place(path, &self.writable)
    }

    /// Whether a real path is out of reach although a directory above it is allowed.
    pub(crate) fn hides(&self, real: &Path) -> bool {
        root_of(real, &self.readable, &self.hidden).is_none()
    }

    /// Whether a walk may go through here, be it only to come to an allowed directory below a hidden one.
    pub(crate) fn passable(&self, real: &Path) -> bool {
        !self.hides(real) || self.readable.iter().any(|root| root.starts_with(real))
    }

    /// A path as the model would write it: relative to the workspace where it lies there.
    pub(crate) fn shown(&self, real: &Path) -> String {
        let inner = real.strip_prefix(&self.workspace).unwrap_or(real);
        if inner.as_os_str().is_empty() { ".".into() } else { inner.display().to_string() }
    }

    /// Opens an ordinary file that was found by walking, wherever the walk's names lead by now.
    pub(crate) fn open_found(&self, found: &Path) -> Option<File> {
        let place = self.readable(found.to_str()?).ok()?;
        self.open(&place).ok()
    }

    /// Opens an ordinary file for reading.
    pub(crate) fn open(&self, place: &Place) -> Result<File, String> {
        place.no_directory()?;
        let root = place.root()?;
        let file = root.open_file(&place.real).map_err(|error| place.refused(&error))?;
        // Between looking and opening, a directory may have become a symlink to somewhere hidden.
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        match opened {
            Ok(opened) if !self.hides(&opened) => Ok(file),
            _ => Err(place.out_of_reach()),
        }
    }

    /// Replaces a whole file, or makes it with the directories it lies in.
    pub(crate) fn replace(&self, place: &Place, content: &[u8]) -> Result<(), String> {
        place.no_directory()?;
        let refused = |error: BeneathError| place.refused(&error);
        let (Some(parent), Some(name)) = (place.real.parent(), place.real.file_name()) else {
            return Err(format!("`{}` is not a file.", place.shown));
        };
        // No symlink is followed on the way down, so the handle is the directory that was judged.
        let parent = place.root()?.create_directories(parent).map_err(refused)?;
        let parent =
            Root::open(Path::new(&format!("/proc/self/fd/{}", parent.as_raw_fd()))).map_err(refused)?;
        parent.write_atomic(Path::new(name), content).map_err(refused)
    }

    fn place(&self, path: &str, roots: &[PathBuf]) -> Result<Place, String> {
        if path.is_empty() || path.contains('\0') {
            return Err(format!("`{}` is not a path.", path.escape_debug()));
        }
        let found = sandbox::resolve(Path::new(path), &self.workspace)
            .map_err(|error| format!("`{path}` cannot be used: {}.", why(&error)))?;
        match root_of(&found.real, roots, &self.hidden) {
            Some(root) => Ok(Place {
                root: root.to_owned(),
                shown: self.shown(&found.real),
                real: found.real,
                kind: found.kind,
            }),
            None => Err(self.outside(path, &found.real, roots)),
        }
    }

    fn outside(&self, path: &str, real: &Path, roots: &[PathBuf]) -> String {
        if roots.iter().any(|root| real.starts_with(root)) {
            return format!("`{path}` is out of reach.");
        }
        let led = if Path::new(path) == real {
            String::new()
        } else {
            format!(" (it leads to `{}`)", real.display())
        };
        let places: Vec<String> = roots.iter().map(|root| format!("`{}`", root.display())).collect();
        format!("`{path}`{led} lies outside of what may be used here: {}.", places.join(", "))
    }
}

impl Place {
    fn no_directory(&self) -> Result<(), String> {
        match self.kind {
            Some(FileKind::Directory) => {
                Err(format!("`{}` is a directory. List it with `glob`, pattern `*`.", self.shown))
            }
            _ => Ok(()),
        }
    }

    fn root(&self) -> Result<Root, String> {
        Root::open(&self.root).map_err(|error| self.refused(&error))
    }

    fn out_of_reach(&self) -> String {
        format!("`{}` is out of reach.", self.shown)
    }

    fn refused(&self, error: &BeneathError) -> String {
        let shown = &self.shown;
        match error {
            BeneathError::Outside(_) => self.out_of_reach(),
            BeneathError::Symlink(_) => {
                format!("`{shown}` leads through a file or a symlink where there is no directory.")
            }
            BeneathError::NotAFile(_) => format!("`{shown}` is not an ordinary file."),
            BeneathError::Io { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => format!("There is no file `{shown}`."),
                io::ErrorKind::PermissionDenied => format!("`{shown}` may not be used: permission denied."),
                io::ErrorKind::NotADirectory => {
                    format!("`{shown}` lies below something that is no directory.")
                }
                _ => format!("`{shown}` cannot be used: {source}."),
            },
        }
    }
}

/// The directory that lets `real` be used, unless something hidden is at least as specific. Compares names, not
/// characters: `/work/a` does not hold `/work/ab`.
fn root_of<'a>(real: &Path, roots: &'a [PathBuf], hidden: &[PathBuf]) -> Option<&'a PathBuf> {
    let depth = |path: &&PathBuf| path.components().count();
    let root = roots.iter().filter(|root| real.starts_with(root)).max_by_key(depth)?;
    let hiding = hidden.iter().filter(|path| real.starts_with(path)).map(|path| depth(&path)).max();
    (hiding.unwrap_or(0) < depth(&root)).then_some(root)
}

fn why(error: &ResolveError) -> String {
    match error {
        ResolveError::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
