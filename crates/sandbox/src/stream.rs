//! One end of a pipe or terminal, read and written without blocking the runtime.
//!
//! Knows nothing of commands; `running` puts these together.

use crate::sys;
use rustix::{fd::OwnedFd, fs::OFlags, io::Errno};
use std::io;
use tokio::io::unix::AsyncFd;

/// A pipe's or terminal's end.
#[derive(Debug)]
pub struct Stream(AsyncFd<OwnedFd>);

impl Stream {
    pub(crate) fn new(fd: OwnedFd) -> io::Result<Self> {
        let flags = rustix::fs::fcntl_getfl(&fd)?;
        rustix::fs::fcntl_setfl(&fd, flags | OFlags::NONBLOCK)?;
        Ok(Self(sys::register(fd)?))
    }

    pub(crate) fn get_ref(&self) -> &OwnedFd {
        self.0.get_ref()
    }

    /// Waits until `read` has something to give.
    pub(crate) async fn when_readable<T>(
        &self,
        mut read: impl FnMut(&OwnedFd) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            let mut ready = self.0.readable().await?;
            if let Ok(done) = ready.try_io(|fd| read(fd.get_ref())) {
                return done;
            }
        }
    }

    /// Reads what there is; 0 means the other end is closed.
    pub async fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.when_readable(|fd| {
            loop {
                match rustix::io::read(fd, &mut *buffer) {
                    Err(Errno::INTR) => {}
                    // A terminal whose other side is closed says so with an error.
                    Err(Errno::IO) => return Ok(0),
                    other => return Ok(other?),
                }
            }
        });
        got.await
    }

    /// Writes everything, waiting while the other end is full.
    pub async fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let mut ready = self.0.writable().await?;
            match ready.try_io(|fd| Ok(rustix::io::write(fd.get_ref(), bytes)?)) {
                Ok(Ok(count)) => bytes = &bytes[count..],
                Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(Err(error)) => return Err(error),
                // Not writable after all.
                Err(_) => {}
            }
        }
        Ok(())
    }
}
