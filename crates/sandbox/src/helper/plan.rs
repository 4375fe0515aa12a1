//! Works out which path is mounted how, and in which order. Pure: it is given real paths and touches nothing.
//!
//! `mounts` carries the plan out.

use std::path::{Path, PathBuf};

/// One path and what the command finds there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) path: PathBuf,
    pub(super) kind: Kind,
}

/// What the command finds at a path. Of two at the same path the later one here wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// An empty place of its own, in memory.
    Private,
    /// What is really there, read-only.
    Show,
    /// What is really there, to be changed.
    Write,
    /// The approved copy with this number.
    Copy(usize),
    /// Nothing: it cannot be read, listed or changed.
    Hide,
}

/// The paths of a profile, symlinks followed and missing ones left out.
#[derive(Debug, Default)]
pub(super) struct Paths {
    pub(super) private: Vec<PathBuf>,
    pub(super) show: Vec<PathBuf>,
    pub(super) write: Vec<PathBuf>,
    pub(super) copies: Vec<(usize, PathBuf)>,
    pub(super) hide: Vec<PathBuf>,
}

/// The places in the order they are to be mounted: what lies below comes after what it lies in.
pub(super) fn plan(paths: &Paths) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    let mut put = |path: &Path, kind: Kind| match places.iter_mut().find(|place| place.path == path) {
        Some(place) => place.kind = place.kind.max(kind),
        None => places.push(Place { path: path.to_owned(), kind }),
    };
    paths.private.iter().for_each(|path| put(path, Kind::Private));
    paths.show.iter().for_each(|path| put(path, Kind::Show));
    paths.write.iter().for_each(|path| put(path, Kind::Write));
    paths.copies.iter().for_each(|(number, path)| put(path, Kind::Copy(*number)));
    paths.hide.iter().for_each(|path| put(path, Kind::Hide));
    places.sort_by_key(|place| place.path.components().count());
    anchor(&mut places);
    // What nobody can reach anyway needs no covering.
    let all = places.clone();
    places.retain(|place| {
        let around = nearest(&all, &place.path).map(|around| around.kind);
        place.kind != Kind::Hide || !matches!(around, Some(Kind::Private | Kind::Hide))
    });
    places
}

/// Whether something else is mounted below `path`.
pub(super) fn holds_others(places: &[Place], path: &Path) -> bool {
    places.iter().any(|place| place.path != path && place.path.starts_with(path))
}

/// The place that `path` lies in.
fn nearest<'a>(places: &'a [Place], path: &Path) -> Option<&'a Place> {
    places
        .iter()
        .filter(|place| place.path != path && path.starts_with(&place.path))
        .max_by_key(|place| place.path.components().count())
}

/// Mounts the directories between a writable place and what is hidden or shown inside it onto themselves: a mount
/// point cannot be renamed, so a command cannot move a secret's parent to where the next command finds it unhidden.
fn anchor(places: &mut Vec<Place>) {
    let mut anchors = Vec::new();
    for place in places.iter().filter(|place| matches!(place.kind, Kind::Hide | Kind::Show)) {
        let Some(around) = nearest(places, &place.path).filter(|around| around.kind == Kind::Write) else {
            continue;
        };
        let between = place.path.ancestors().skip(1).take_while(|path| *path != around.path);
        anchors.extend(between.map(|path| Place { path: path.to_owned(), kind: Kind::Write }));
    }
    places.extend(anchors);
    places.sort_by_key(|place| place.path.components().count());
    // Sorting is stable, so what the profile says of a path stands before an anchor there.
    let mut seen = std::collections::HashSet::new();
    places.retain(|place| seen.insert(place.path.clone()));
}
