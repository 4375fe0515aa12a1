//! What the assistant remembers: markdown files in its workspace are the truth, and search runs over them.
//!
//! `MEMORY.md` holds what stays true, `memory/YYYY-MM-DD.md` what happened on a day; the owner may edit all of them
//! and add more below `memory/`. Who may read or write memory, and over which door, is decided elsewhere.
//!
//! Reading order: `Memory` is the handle, `editing` is for the owner who looks at a file and changes it, `folder` opens files so that nothing leads out of the workspace,
//! `passages` cuts a text into what one answer shows and scores it. Everything blocks on the disk.

mod memory;
mod editing;
mod folder;
mod passages;
mod error;

pub use editing::{FileInfo, FileText};
pub use error::MemoryError;
pub use memory::{Hit, Kind, MAX_CONTENT_BYTES, MAX_HITS, Memory, Target};
