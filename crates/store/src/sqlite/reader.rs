//! A few read-only connections, lent to one reader at a time on the blocking pool.

use crate::{Result, StoreError, sqlite};
use rusqlite::Connection;
use std::{
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
};

/// How many idle connections are kept. More readers than this at once open a connection for themselves.
const KEPT: usize = 4;

/// Lends connections for reading.
#[derive(Clone)]
pub(crate) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
}

impl Readers {
    pub fn new(path: PathBuf) -> Self {
        Self { path, idle: Arc::default() }
    }

    /// Runs `work` on a connection that cannot write.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let readers = self.clone();
        tokio::task::spawn_blocking(move || readers.read_now(work)).await.map_err(|_| StoreError::Closed)?
    }

    fn read_now<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        let kept = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match kept {
            Some(connection) => connection,
            None => sqlite::open_read_only(&self.path)?,
        };
        let result = work(&connection);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(connection);
        }
        result
    }
}
