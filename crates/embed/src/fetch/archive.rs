//! Reads members of a zip archive, which is what a Python wheel is. Just as much of the format as that needs, with a
//! limit on everything. What the members are good for is for the parent.

use flate2::read::DeflateDecoder;
use std::io::{self, Read, Seek, SeekFrom};

/// How long the end of an archive may be: its record and the longest comment.
const MAX_END_BYTES: u64 = 22 + 65_535;

/// The longest directory that is read; a wheel with a thousand files has a tenth of it.
const MAX_DIRECTORY_BYTES: u32 = 1 << 20;

const END: &[u8] = b"PK\x05\x06";
const ENTRY: &[u8] = b"PK\x01\x02";
const MEMBER: &[u8] = b"PK\x03\x04";

/// Whether a file that begins so is an archive.
pub(super) fn is_archive(start: &[u8]) -> bool {
    start.starts_with(MEMBER)
}

/// An archive and what is in it.
pub(super) struct Archive<R> {
    file: R,
    members: Vec<Member>,
}

struct Member {
    name: String,
    method: u16,
    compressed: u32,
    size: u32,
    offset: u32,
}

impl<R: Read + Seek> Archive<R> {
    /// Reads the directory.
    pub(super) fn open(mut file: R) -> io::Result<Self> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_END_BYTES)))?;
        let mut tail = Vec::new();
        file.by_ref().take(MAX_END_BYTES).read_to_end(&mut tail)?;
        let at = tail.windows(END.len()).rposition(|window| window == END).ok_or_else(broken)?;
        let end = &tail[at..];
        let (length, offset) = (u32_at(end, 12)?, u32_at(end, 16)?);
        if length > MAX_DIRECTORY_BYTES {
            return Err(broken());
        }
        let mut directory = vec![0; length as usize];
        file.seek(SeekFrom::Start(offset.into()))?;
        file.read_exact(&mut directory)?;
        Ok(Self { file, members: members(&directory)? })
    }

    /// The first member of this file name, in whatever folder, if it is no longer than `limit`.
    pub(super) fn read(&mut self, file_name: &str, limit: u32) -> io::Result<Option<Vec<u8>>> {
        let named = |member: &&Member| member.name.rsplit('/').next() == Some(file_name);
        let Some(member) = self.members.iter().find(named) else { return Ok(None) };
        if member.size > limit {
            return Err(broken());
        }
        let mut head = [0; 30];
        self.file.seek(SeekFrom::Start(member.offset.into()))?;
        self.file.read_exact(&mut head)?;
        if !head.starts_with(MEMBER) {
            return Err(broken());
        }
        let names = i64::from(u16_at(&head, 26)?) + i64::from(u16_at(&head, 28)?);
        self.file.seek(SeekFrom::Current(names))?;
        let packed = self.file.by_ref().take(member.compressed.into());
        let mut content = Vec::with_capacity(member.size as usize);
        match member.method {
            0 => packed.take(member.size.into()).read_to_end(&mut content)?,
            8 => DeflateDecoder::new(packed).take(member.size.into()).read_to_end(&mut content)?,
            _ => return Err(broken()),
        };
        if content.len() == member.size as usize { Ok(Some(content)) } else { Err(broken()) }
    }
}

fn members(mut directory: &[u8]) -> io::Result<Vec<Member>> {
    let mut members = Vec::new();
    while directory.starts_with(ENTRY) {
        let name = usize::from(u16_at(directory, 28)?);
        let extra = usize::from(u16_at(directory, 30)?) + usize::from(u16_at(directory, 32)?);
        members.push(Member {
            name: String::from_utf8_lossy(directory.get(46..46 + name).ok_or_else(broken)?).into_owned(),
            method: u16_at(directory, 10)?,
            compressed: u32_at(directory, 20)?,
            size: u32_at(directory, 24)?,
            offset: u32_at(directory, 42)?,
        });
        directory = directory.get(46 + name + extra..).ok_or_else(broken)?;
    }
    Ok(members)
}

fn u16_at(bytes: &[u8], at: usize) -> io::Result<u16> {
    bytes.get(at..).and_then(|it| it.first_chunk()).map(|it| u16::from_le_bytes(*it)).ok_or_else(broken)
}

fn u32_at(bytes: &[u8], at: usize) -> io::Result<u32> {
    bytes.get(at..).and_then(|it| it.first_chunk()).map(|it| u32::from_le_bytes(*it)).ok_or_else(broken)
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the archive is broken")
}
