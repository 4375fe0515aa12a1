//! What the assistant remembers: markdown files in its workspace are the truth, and search runs over them.
//!
//! `MEMORY.md` holds what stays true, `memory/YYYY-MM-DD.md` what happened on a day; the owner may edit all of them
//! and add more below `memory/`, name further folders, and have what was said in sessions searched too. Who may read or
//! write memory, and over which door, is decided elsewhere.
//!
//! Reading order: `Memory` is the handle; `editing` is for the owner who changes a file, `looking` for whoever read a
//! passage and wants more; `search` asks, `sync` brings the index up to date,
//! `watch` sees to it behind the scenes, `status` tries whether all that works. Below them `sources` says which files
//! there are and `folder` opens them so that nothing leads out; `chunks` cuts a text into passages, `query` takes a
//! question apart, `fusion` makes two opinions one: all pure. `index` is a cache in SQLite, `matrix` the vectors in
//! memory. Everything blocks on the disk.

mod memory;
mod settings;
mod kind;
mod editing;
mod looking;
mod search;
mod sync;
mod status;
mod watch;
mod sources;
mod folder;
mod chunks;
mod query;
mod fusion;
mod index;
mod matrix;
mod dot;
mod vectors;
mod error;

pub use editing::{FileInfo, FileText};
pub use error::MemoryError;
pub use kind::{Kind, Target};
pub use looking::Excerpt;
pub use memory::{IDLE_AFTER, MAX_CONTENT_BYTES, Memory};
pub use search::{Found, Hit, MAX_HITS, Query};
pub use settings::{Fusion, MemorySettings};
pub use status::{Probe, Status};
pub use sync::{Progress, Stage, Synced};
pub use vectors::{NoVectors, VectorModel, Vectors};
pub use watch::Watcher;
