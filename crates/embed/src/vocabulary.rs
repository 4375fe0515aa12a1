//! The word pieces a model knows, sorted for looking up. How a text is cut into them is for `wordpiece`.

/// What continues a word begins with this in a vocabulary file.
const CONTINUES: &str = "##";

/// Word pieces and their numbers.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    /// Pieces that begin a word.
    pub(crate) beginnings: Pieces,
    /// Pieces that continue one, without the mark.
    pub(crate) continuations: Pieces,
    /// What stands for a word that cannot be made of pieces.
    pub(crate) unknown: u32,
    /// What stands before a text.
    pub(crate) start: u32,
    /// What stands after a text.
    pub(crate) end: u32,
}

impl Vocabulary {
    /// Reads a vocabulary file: one piece a line, numbered from 0. None if it lacks a piece that every text needs.
    pub(crate) fn read(lines: &str) -> Option<Self> {
        let (mut beginnings, mut continuations) = (Vec::new(), Vec::new());
        for (number, line) in (0..).zip(lines.lines()) {
            match line.strip_prefix(CONTINUES) {
                Some(rest) if !rest.is_empty() => continuations.push((rest, number)),
                _ => beginnings.push((line, number)),
            }
        }
        let beginnings = Pieces::new(beginnings);
        Some(Self {
            unknown: beginnings.number("[UNK]")?,
            start: beginnings.number("[CLS]")?,
            end: beginnings.number("[SEP]")?,
            beginnings,
            continuations: Pieces::new(continuations),
        })
    }
}

/// Pieces in one piece of memory, found by bisection: thirty thousand small strings in a map would take five times
/// the room.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Pieces {
    text: String,
    /// Where each piece ends in `text`, and its number.
    entries: Vec<(u32, u32)>,
    longest: usize,
}

impl Pieces {
    fn new(mut numbered: Vec<(&str, u32)>) -> Self {
        numbered.sort_unstable();
        let longest = numbered.iter().map(|(piece, _)| piece.len()).max().unwrap_or(0);
        let mut pieces = Self { text: String::new(), entries: Vec::with_capacity(numbered.len()), longest };
        for (piece, number) in numbered {
            pieces.text.push_str(piece);
            pieces.entries.push((u32::try_from(pieces.text.len()).unwrap_or(u32::MAX), number));
        }
        pieces
    }

    /// The longest piece that `text` begins with: its length in bytes, and its number.
    pub(crate) fn longest_at_start(&self, text: &str) -> Option<(usize, u32)> {
        let ends = (1..=text.len().min(self.longest)).rev().filter(|end| text.is_char_boundary(*end));
        ends.into_iter().find_map(|end| Some((end, self.number(&text[..end])?)))
    }

    fn number(&self, piece: &str) -> Option<u32> {
        let (mut low, mut high) = (0, self.entries.len());
        while low < high {
            let middle = low.midpoint(high);
            match self.piece(middle).cmp(piece) {
                std::cmp::Ordering::Equal => return Some(self.entries[middle].1),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }

    fn piece(&self, at: usize) -> &str {
        let start = at.checked_sub(1).map_or(0, |before| self.entries[before].0);
        self.text.get(start as usize..self.entries[at].0 as usize).unwrap_or_default()
    }
}
