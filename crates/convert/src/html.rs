//! HTML and XHTML.

mod body;

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::writer::Writer;
use crate::{ConvertError, Format, decode};
use body::Body;

/// How far into a file its declaration of an encoding may lie.
const DECLARED_WITHIN: usize = 1024;

/// What of a page is its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// All but what serves to move around the site.
    Content,
    /// All that has text.
    All,
}

/// Converts a page; what serves to move around the site is left out.
pub(crate) fn convert(bytes: &[u8], writer: &mut Writer) -> Result<(), ConvertError> {
    let mut content = writer.empty();
    if read(bytes, Keep::Content, &mut content)? {
        *writer = content;
        return Ok(());
    }
    // What is left out has no end: rather too much than half of the page.
    read(bytes, Keep::All, writer)?;
    writer.warn("a part that should have been left out does not end; all was kept".to_owned());
    Ok(())
}

/// Reads a page, and tells whether all that was left out had an end.
pub(crate) fn read(bytes: &[u8], keep: Keep, writer: &mut Writer) -> Result<bool, ConvertError> {
    let text = decode::decode(bytes, declared(bytes).as_deref(), Format::Html)?;
    let sink = Sink(RefCell::new(State { body: Body::new(writer, keep), failed: None }));
    // Byte order marks are gone, and nobody asks for the errors' exact text.
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(sink, options);
    let queue = BufferQueue::default();
    for part in parts(&text) {
        queue.push_back(StrTendril::from_slice(part));
        let _ = tokenizer.feed(&queue);
        if tokenizer.sink.0.borrow().failed.is_some() {
            break;
        }
    }
    tokenizer.end();
    let state = tokenizer.sink.0.into_inner();
    match state.failed {
        Some(error) => Err(error),
        None => state.body.finish(),
    }
}

/// The tokenizer hands out a shared reference only.
struct Sink<'w>(RefCell<State<'w>>);

struct State<'w> {
    body: Body<'w>,
    failed: Option<ConvertError>,
}

impl TokenSink for Sink<'_> {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut state = self.0.borrow_mut();
        if state.failed.is_some() {
            return TokenSinkResult::Continue;
        }
        let done = match &token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => {
                let started = state.body.start(&tag.name, tag);
                // In XHTML an element may end where it begins.
                let done =
                    if tag.self_closing { started.and_then(|()| state.body.end(&tag.name)) } else { started };
                done.map(|()| raw(tag))
            }
            Token::TagToken(tag) => state.body.end(&tag.name).map(|()| TokenSinkResult::Continue),
            Token::CharacterTokens(text) => {
                state.body.text(text);
                Ok(TokenSinkResult::Continue)
            }
            _ => Ok(TokenSinkResult::Continue),
        };
        done.unwrap_or_else(|error| {
            state.failed = Some(error);
            TokenSinkResult::Continue
        })
    }
}

/// Tells the tokenizer how to read what an element holds.
fn raw(tag: &Tag) -> TokenSinkResult<()> {
    if tag.self_closing {
        return TokenSinkResult::Continue;
    }
    match &*tag.name {
        "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => TokenSinkResult::RawData(RawKind::Rawtext),
        "script" => TokenSinkResult::RawData(RawKind::ScriptData),
        _ => TokenSinkResult::Continue,
    }
}

/// Parts text into pieces that a tokenizer can be stopped between.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = rest.len().min(1 << 16);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (part, after) = rest.split_at(end);
        rest = after;
        (!part.is_empty()).then_some(part)
    })
}

/// Returns the encoding that the first bytes declare.
fn declared(bytes: &[u8]) -> Option<String> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_ascii_lowercase();
    let (_, after) = ["charset", "encoding"].iter().find_map(|word| head.split_once(word))?;
    let value = after.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
    let end = value.find(|one: char| !(one.is_ascii_alphanumeric() || "-_:.".contains(one)));
    Some(value[..end.unwrap_or(value.len())].to_owned())
}
