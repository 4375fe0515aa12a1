//! Whether bytes are a picture a model can be shown, told from the bytes alone.
//!
//! Decodes nothing: a provider refuses what is too large, and would then refuse the whole conversation for ever
//! after, so kind and size are read from the header and doubtful pictures are not attached.

use base64::Engine as _;
use protocol::Attachment;

/// Providers take 5 MB of base64, which is this many bytes.
pub(crate) const MAX_PICTURE_BYTES: usize = 3_750_000;
/// Providers refuse pictures that are longer than this on one side.
const MAX_PICTURE_SIDE: u32 = 8_000;

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) mime_type: &'static str,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Picture {
    /// The picture these bytes begin, if they do.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        png(bytes).or_else(|| jpeg(bytes)).or_else(|| gif(bytes)).or_else(|| webp(bytes))
    }

    /// The bytes as an attachment, or why not.
    pub(crate) fn attach(self, bytes: &[u8], name: Option<String>) -> Result<Attachment, String> {
        if bytes.len() > MAX_PICTURE_BYTES {
            return Err("it is larger than 3.75 MB; make a smaller copy first".into());
        }
        if self.width.max(self.height) > MAX_PICTURE_SIDE || self.width.min(self.height) == 0 {
            return Err(format!(
                "it measures {} × {} and at most 8000 × 8000 can be shown; make a smaller copy first",
                self.width, self.height
            ));
        }
        let data = base64::engine::general_purpose::STANDARD.encode(bytes);
        Ok(Attachment { mime_type: self.mime_type.into(), data, name })
    }
}

fn png(bytes: &[u8]) -> Option<Picture> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    let header = header.get(4..)?.strip_prefix(b"IHDR")?;
    Some(Picture { mime_type: "image/png", width: big_u32(header, 0)?, height: big_u32(header, 4)? })
}

fn gif(bytes: &[u8]) -> Option<Picture> {
    let header = bytes.strip_prefix(b"GIF87a").or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    let (width, height) = (little(header, 0, 2)?, little(header, 2, 2)?);
    Some(Picture { mime_type: "image/gif", width, height })
}

fn webp(bytes: &[u8]) -> Option<Picture> {
    let chunk = bytes.strip_prefix(b"RIFF")?.get(4..)?.strip_prefix(b"WEBP")?;
    let (width, height) = match chunk.get(..4)? {
        b"VP8X" => (little(chunk, 12, 3)? + 1, little(chunk, 15, 3)? + 1),
        b"VP8L" => {
            let bits = little(chunk, 9, 4)?;
            ((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
        }
        b"VP8 " => (little(chunk, 14, 2)? & 0x3fff, little(chunk, 16, 2)? & 0x3fff),
        _ => return None,
    };
    Some(Picture { mime_type: "image/webp", width, height })
}

/// Goes from marker to marker until the one that holds the size.
fn jpeg(bytes: &[u8]) -> Option<Picture> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let marker = *rest.strip_prefix(b"\xff")?.first()?;
        match marker {
            // A marker may be padded, and some stand alone.
            0xff => rest = rest.get(1..)?,
            0x01 | 0xd0..=0xd7 => rest = rest.get(2..)?,
            0xc0..=0xcf if !matches!(marker, 0xc4 | 0xc8 | 0xcc) => {
                let height = u16::from_be_bytes([*rest.get(5)?, *rest.get(6)?]).into();
                let width = u16::from_be_bytes([*rest.get(7)?, *rest.get(8)?]).into();
                return Some(Picture { mime_type: "image/jpeg", width, height });
            }
            _ => {
                let length = u16::from_be_bytes([*rest.get(2)?, *rest.get(3)?]);
                rest = rest.get(2 + usize::from(length)..)?;
            }
        }
    }
}

fn big_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// A little-endian number of up to four bytes.
fn little(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let digits = bytes.get(at..at + length)?;
    Some(digits.iter().rev().fold(0, |number, digit| number << 8 | u32::from(*digit)))
}
