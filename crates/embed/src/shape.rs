//! The shape of the one model that is run here, all-MiniLM-L6-v2: known when compiling, so that loops are unrolled and
//! a file that does not fit is refused. What is in the shape is for `weights`.

/// What the model is called by those who made it.
pub(crate) const NAME: &str = "all-MiniLM-L6-v2";

/// How many numbers stand for a token, and for a text.
pub(crate) const HIDDEN: usize = 384;

/// How many layers there are.
pub(crate) const LAYERS: usize = 6;

/// How many ways a layer has of looking at the other tokens.
pub(crate) const HEADS: usize = 12;

/// How many numbers each of them uses.
pub(crate) const HEAD: usize = HIDDEN / HEADS;

/// Query, key and value of a token beside each other.
pub(crate) const ATTENTION: usize = 3 * HIDDEN;

/// How many numbers stand for a token inside a layer.
pub(crate) const INNER: usize = 1536;

/// How many word pieces a text may have, with the mark at either end: what the model was trained with. The rest of a
/// longer text is not seen.
pub(crate) const MAX_PIECES: usize = 256;

/// How many word pieces there are.
pub(crate) const VOCABULARY: usize = 30_522;
