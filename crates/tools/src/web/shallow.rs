//! Parses a page that may have been made to hurt: nesting is kept shallow and the time is limited.
//!
//! The parser takes quadratic time over deep nesting and over endless attributes, and what works on the tree later
//! recurses. What is dropped here are tags, never text, drawings aside; what to make of the tree is `readable`'s.

use dom_query::{Document, NodeId};
use html5ever::{
    LocalName, TokenizerResult,
    buffer_queue::BufferQueue,
    tendril::StrTendril,
    tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts},
    tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink},
};
use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

/// How deep elements may lie in each other. Browsers stop at 512; readable pages at a tenth of that.
const MAX_DEPTH: usize = 200;
/// Elements taken in before the rest's tags are dropped.
const MAX_ELEMENTS: usize = 100_000;
/// How long parsing may take; an honest page of 10 MB takes a fraction.
const MAX_TIME: Duration = Duration::from_secs(3);
/// How much is parsed between two looks at the clock, in bytes.
const CHUNK_BYTES: usize = 16 * 1024;

/// Elements without content.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];
/// Elements whose content is no markup: the tokenizer must see their start.
const RAW: &[&str] = &[
    "script",
    "style",
    "title",
    "textarea",
    "xmp",
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
];
/// Elements whose end tag is often left out. They close each other, so they cannot pile up by themselves.
const OPTIONAL_END: &[&str] = &[
    "html", "head", "body", "p", "li", "dt", "dd", "option", "tr", "td", "th", "thead", "tbody", "tfoot",
    "colgroup",
];
/// Elements whose end tag closes everything inside, up to the nearest [`BARRIER`].
const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "button",
    "center",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hgroup",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "listing",
    "main",
    "menu",
    "nav",
    "ol",
    "pre",
    "search",
    "section",
    "summary",
    "table",
    "ul",
];
/// Elements no end tag from inside reaches beyond.
const BARRIER: &[&str] = &["table", "template", "object", "applet", "marquee", "caption", "select", "button"];

/// The tree of a page.
pub(super) fn parse(html: &str) -> Document {
    let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
    let sink = Shallow {
        inner: TreeBuilder::new(Document::default(), options),
        open: RefCell::new(Vec::new()),
        elements: Cell::new(0),
        drawings: Cell::new(0),
    };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let deadline = Instant::now() + MAX_TIME;
    let input = BufferQueue::default();
    let mut rest = html;
    while !rest.is_empty() && Instant::now() < deadline {
        let (chunk, behind) = rest.split_at(rest.floor_char_boundary(CHUNK_BYTES));
        input.push_back(StrTendril::from(chunk));
        // A script to run stops the tokenizer; it is not run, so it goes on.
        while let TokenizerResult::Script(_) = tokenizer.feed(&input) {}
        rest = behind;
    }
    tokenizer.end();
    tokenizer.sink.inner.sink.finish()
}

/// Hands tokens on to the tree, without those that would make it too deep.
struct Shallow {
    inner: TreeBuilder<NodeId, Document>,
    /// What is open, or more: an end tag the parser might ignore closes nothing here either.
    open: RefCell<Vec<LocalName>>,
    elements: Cell<usize>,
    /// Drawings are dropped whole: their elements close by other rules, and they hold no words.
    drawings: Cell<usize>,
}

impl TokenSink for Shallow {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let keep = match &token {
            Token::TagToken(tag) => self.keeps(tag),
            Token::CharacterTokens(_) | Token::NullCharacterToken => self.drawings.get() == 0,
            Token::DoctypeToken(_) | Token::EOFToken => true,
            Token::CommentToken(_) | Token::ParseError(_) => false,
        };
        if keep { self.inner.process_token(token, line) } else { TokenSinkResult::Continue }
    }

    fn end(&self) {
        self.inner.end();
    }
}

impl Shallow {
    fn keeps(&self, tag: &Tag) -> bool {
        let name = &*tag.name;
        match (name, tag.kind) {
            ("svg", TagKind::StartTag) => {
                self.drawings.set(self.drawings.get() + usize::from(!tag.self_closing));
                return false;
            }
            ("svg", TagKind::EndTag) => {
                self.drawings.set(self.drawings.get().saturating_sub(1));
                return false;
            }
            // A formula's words are kept, its markup closes by other rules.
            ("math", _) => return false,
            _ if self.drawings.get() > 0 => return false,
            _ => {}
        }
        match tag.kind {
            TagKind::StartTag => self.opens(&tag.name),
            TagKind::EndTag => self.closes(&tag.name),
        }
    }

    fn opens(&self, name: &LocalName) -> bool {
        if RAW.contains(&&**name) {
            return true;
        }
        self.elements.set(self.elements.get() + 1);
        let mut open = self.open.borrow_mut();
        if self.elements.get() > MAX_ELEMENTS || open.len() >= MAX_DEPTH {
            return false;
        }
        if !VOID.contains(&&**name) && !OPTIONAL_END.contains(&&**name) {
            open.push(name.clone());
        }
        true
    }

    fn closes(&self, name: &LocalName) -> bool {
        let mut open = self.open.borrow_mut();
        let block = BLOCK.contains(&&**name);
        for place in (0..open.len()).rev() {
            if open[place] == *name {
                open.truncate(place);
                break;
            }
            let stops = if block { BARRIER } else { BLOCK };
            if stops.contains(&&*open[place]) || BARRIER.contains(&&*open[place]) {
                break;
            }
        }
        true
    }
}
