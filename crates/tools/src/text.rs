//! Cutting text that is too long, visibly and never inside a character.
//!
//! How long is too long is each tool's business.

/// The first `max` characters of `text`, and how many are missing.
pub(crate) fn head(text: &str, max: usize) -> (&str, usize) {
    match text.char_indices().nth(max) {
        Some((end, _)) => (&text[..end], text[end..].chars().count()),
        None => (text, 0),
    }
}

/// At most `max` characters of `text` on one line, for titles and lists.
pub(crate) fn line(text: &str, max: usize) -> String {
    let (first, rest) =
        text.split_once('\n').map_or((text, false), |(first, rest)| (first, !rest.trim().is_empty()));
    let (kept, cut) = head(first.trim_end(), max);
    if cut > 0 || rest { format!("{kept} …") } else { kept.to_owned() }
}

/// How many bytes of `bytes` to take so that no character is left in two, given that more may follow.
pub(crate) fn whole_characters(bytes: &[u8]) -> usize {
    let unfinished = (1..=bytes.len().min(3)).find(|back| {
        let lead = bytes[bytes.len() - back];
        let length = match lead {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => 1,
        };
        length > *back
    });
    bytes.len() - unfinished.unwrap_or(0)
}

/// A size for people.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.1} GB", bytes as f64 / 1e9),
    }
}
