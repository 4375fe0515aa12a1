//! What a client says, checked: text and pictures.

use crate::fault::Fault;
use base64::{Engine, prelude::BASE64_STANDARD};
use protocol::{Attachment, Block};

/// The longest text of one message, in bytes: a long book chapter, and about what models take at most.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// A picture.
pub(crate) fn image(mime_type: &str, data: &str) -> Result<Block, Fault> {
    let attachment = Attachment { mime_type: mime_type.to_owned(), data: data.to_owned(), name: None };
    if !attachment.is_image() {
        return Err(Fault::bad_request(format!(
            "{mime_type:?} is not the type of a picture, such as `image/png`"
        )));
    }
    if data.is_empty() || BASE64_STANDARD.decode(data).is_err() {
        return Err(Fault::bad_request("the picture's data is not base64"));
    }
    Ok(Block::Attachment(attachment))
}

/// Whether something was said, and not too much.
pub(crate) fn check_said(blocks: &[Block]) -> Result<(), Fault> {
    let text = Block::text_of(blocks);
    if text.len() > MAX_TEXT_BYTES {
        return Err(Fault::too_large(format!("the text is longer than {} MiB", MAX_TEXT_BYTES >> 20)));
    }
    let shows = blocks.iter().any(|block| matches!(block, Block::Attachment(_)));
    if text.trim().is_empty() && !shows {
        return Err(Fault::bad_request("the message is empty: say something"));
    }
    Ok(())
}
