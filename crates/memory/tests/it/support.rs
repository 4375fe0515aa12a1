//! A workspace in a temporary folder, with another folder beside it that nothing may reach.

use memory::Memory;
use std::{fs, path::PathBuf};
use tempfile::TempDir;

pub struct Scene {
    folder: TempDir,
    pub memory: Memory,
}

impl Scene {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("workspace")).unwrap();
        fs::create_dir(folder.path().join("outside")).unwrap();
        let memory = Memory::new(folder.path().join("workspace"));
        Self { folder, memory }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("workspace").join(path)
    }

    pub fn outside(&self, path: &str) -> PathBuf {
        self.folder.path().join("outside").join(path)
    }

    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }
}
