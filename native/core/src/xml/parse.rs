//! Parses XML into a flat tree, from the events of quick-xml. Made for real files of the offices:
//! faults that do not harm the content are kept as text (a bare `&` or `<`, an unknown entity,
//! control characters, several roots, text between them). A tag that does not match is damage. No
//! DTD or external entity is loaded. Entities that a document defines itself are kept as written,
//! so they cannot expand.

use super::entities::named;
use super::role::Role;
use super::tree::{Tree, ATTRIBUTE, NAME_BITS, NODE, TEXT};
use memchr::{memchr2, memchr_iter, memrchr};
use quick_xml::errors::{Error, SyntaxError};
use quick_xml::events::attributes::{AttrError, Attributes};
use quick_xml::events::{BytesRef, BytesStart, BytesText, Event};
use quick_xml::Reader;
use std::collections::HashMap;

/// Limits of a document.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Offsets are u32, and the text may be longer than the source, since some entities are shorter
    /// than their characters.
    pub bytes: usize,
    pub depth: usize,
    pub elements: usize,
    /// Distinct names of elements and attributes.
    pub names: usize,
    /// Tolerated faults. A file with more is not a text document.
    pub faults: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 1 << 30, depth: 256, elements: 20_000_000, names: 1_000_000, faults: 10_000 }
    }
}

/// Why a document cannot be read: `line 3, column 7: …`. Both count from 1, columns in characters.
#[derive(Debug, PartialEq, Eq)]
pub struct Damage(pub String);

/// Properties of a format that the parser needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Format<'a> {
    /// Elements that are skipped with their contents.
    pub skip: &'a [&'a str],
    /// Elements that are always empty. SGML omits their end tags.
    pub empty: &'a [&'a str],
}

/// Parses one document, or several one after another.
pub fn parse<'a>(source: &'a str, format: Format<'a>, limits: Limits) -> Result<Tree, Damage> {
    if source.len() > limits.bytes {
        return Err(damage(source, 0, &format!("the document has more than {} bytes", limits.bytes)));
    }
    let mut parser = Parser {
        source,
        format,
        limits,
        tree: Tree::default(),
        ids: HashMap::new(),
        recent: vec![Recent::default(); 2 * RECENT],
        stack: Vec::new(),
        skipped_from: usize::MAX,
        in_text: false,
        elements: 0,
        faults: 0,
    };
    parser.tree.text.reserve(source.len());
    let whole = parser.document();
    whole.map_err(|(at, what)| damage(source, at, &what))?;
    Ok(parser.tree)
}

/// Position and reason.
type Fault = (usize, String);
type Parsed<T> = Result<T, Fault>;

struct Open<'a> {
    /// With its prefix, as in the end tag.
    name: &'a str,
    node: usize,
    at: usize,
}

/// Size of the cache of recent names, for elements and for attributes.
const RECENT: usize = 256;

/// Cached data of an element's name, with its prefix, or of an attribute's name.
#[derive(Clone, Copy, Default)]
struct Recent<'a> {
    name: &'a str,
    local: &'a str,
    /// Whether the name is in the format's `skip`, or in its `empty`.
    is_skipped: bool,
    is_empty: bool,
    /// Its number with its role, once assigned.
    id: Option<u32>,
}

/// Slot of a name in the cache, by its length and its first eight bytes.
fn place(name: &str, is_attribute: bool) -> usize {
    let bytes = name.as_bytes();
    let mut first = [0; 8];
    let shown = bytes.len().min(first.len());
    first[..shown].copy_from_slice(&bytes[..shown]);
    let mixed = (u64::from_le_bytes(first) ^ bytes.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as usize % RECENT + usize::from(is_attribute) * RECENT
}

struct Parser<'a> {
    source: &'a str,
    format: Format<'a>,
    limits: Limits,
    tree: Tree,
    /// By name and whether it is an attribute's.
    ids: HashMap<(&'a str, bool), u32>,
    /// Cache of names, elements before attributes: a document has a few hundred names, which occur
    /// millions of times.
    recent: Vec<Recent<'a>>,
    stack: Vec<Open<'a>>,
    /// Depth of the outermost skipped element.
    skipped_from: usize,
    /// The last node is a text, and no tag has followed it.
    in_text: bool,
    elements: usize,
    faults: usize,
}

const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_blank(c: char) -> bool {
    u8::try_from(c).is_ok_and(is_space)
}

const fn opens_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80
}

const fn is_name(byte: u8) -> bool {
    opens_name(byte) || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

/// A reader of events. It does not compare the names of tags: the parser has its own stack, since a
/// new reader begins after each stray `<`.
fn reader(source: &str) -> Reader<&[u8]> {
    let mut reader = Reader::from_str(source);
    let config = reader.config_mut();
    config.allow_dangling_amp = true;
    config.allow_unmatched_ends = true;
    config.check_end_names = false;
    reader
}

impl<'a> Parser<'a> {
    fn document(&mut self) -> Parsed<()> {
        let source = self.source;
        // Not left to quick-xml, since it does not count the mark's bytes.
        let mut events = reader(source.trim_start_matches('\u{feff}'));
        loop {
            let at = source.len() - events.get_ref().len();
            if let Some(length) = stray(&source.as_bytes()[at..]) {
                self.text(&BytesText::from_escaped(&source[at..at + length]).xml10_content(), at)?;
                events = reader(&source[at + length..]);
                continue;
            }
            let event = events.read_event();
            let event =
                event.map_err(|error| (at, reason(&error, source.get(at + 1..).unwrap_or_default())))?;
            match event {
                Event::Start(tag) => self.start_tag(&tag, at, false)?,
                Event::Empty(tag) => self.start_tag(&tag, at, true)?,
                Event::End(tag) => self.end_tag(&tag, at)?,
                Event::Text(text) if text.starts_with('&') => self.unknown(&text.xml10_content(), at)?,
                Event::Text(text) => self.text(&text.xml10_content(), at)?,
                Event::CData(text) => self.text(&text.xml10_content(), at)?,
                Event::GeneralRef(reference) => self.reference(&reference, at)?,
                Event::DocType(_) if !self.stack.is_empty() => return Err((at, UNEXPECTED.into())),
                Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::DocType(_) => {}
                Event::Eof => break,
            }
        }
        if let Some(open) = self.stack.last() {
            return Err((source.len(), format!("the document ends before </{}>", open.name)));
        }
        if self.elements == 0 {
            return Err((source.len(), "the document has no element".into()));
        }
        Ok(())
    }

    fn is_skipping(&self) -> bool {
        self.stack.len() >= self.skipped_from
    }

    fn start_tag(&mut self, event: &BytesStart, at: usize, is_closed: bool) -> Parsed<()> {
        // As in the event, with the lifetime of the source.
        let tag = &self.source[at + 1..at + 1 + event.len()];
        let name = &tag[..event.name().as_ref().len()];
        self.elements += 1;
        if self.stack.len() >= self.limits.depth {
            return Err((at, format!("elements nested deeper than {}", self.limits.depth)));
        }
        if self.elements > self.limits.elements {
            return Err((at, format!("more than {} elements", self.limits.elements)));
        }
        let known = self.known(name, false);
        let known = known.map_err(|wrong| self.out_of_place(at + 1 + wrong, &name[..wrong]))?;
        let Recent { local, is_skipped, is_empty, .. } = self.recent[known];
        if !self.is_skipping() && is_skipped {
            self.skipped_from = self.stack.len();
        }
        let node = self.tree.nodes.len();
        if !self.is_skipping() {
            let first = self.tree.attributes.len() / ATTRIBUTE;
            if name.len() < tag.len() {
                self.attributes(name, tag)?;
            }
            let id = self.id(known, local, false, at)?;
            let last = self.tree.attributes.len() / ATTRIBUTE;
            self.tree.nodes.extend([id, (node / NODE + 1) as u32, first as u32, last as u32]);
            self.in_text = false;
        }
        if !(is_closed || is_empty) {
            self.stack.push(Open { name, node, at });
        } else if self.skipped_from == self.stack.len() {
            self.skipped_from = usize::MAX;
        }
        Ok(())
    }

    fn attributes(&mut self, element: &'a str, tag: &'a str) -> Parsed<()> {
        for attribute in Attributes::new(tag, element.len()) {
            let attribute = attribute.map_err(|error| self.attribute_fault(element, tag, error))?;
            let name = attribute.key.into_inner();
            let at = self.position(name);
            if !is_space(self.source.as_bytes()[at - 1]) {
                return Err(self.out_of_place(at, element));
            }
            let start = self.tree.text.len();
            self.attribute_value(&attribute.value, at)?;
            let known = self.known(name, true);
            let known = known.map_err(|wrong| self.out_of_place(at + wrong, element))?;
            let id = self.id(known, name, true, at)?;
            self.tree.attributes.extend([id, start as u32, self.tree.text.len() as u32]);
        }
        Ok(())
    }

    fn attribute_fault(&self, element: &str, tag: &'a str, error: AttrError) -> Fault {
        let (at, what) = match error {
            AttrError::ExpectedEq(at) => (at, "has no value"),
            AttrError::ExpectedValue(at) | AttrError::UnquotedValue(at) | AttrError::ExpectedQuote(at, _) => {
                (at, "has a value that is not in quotes")
            }
            AttrError::Duplicated(at, _) => (at + name_length(&tag[at..]), "is there twice"),
        };
        let before = tag[..at].trim_end_matches(|c| c == '=' || is_blank(c));
        let name = before.rsplit(is_blank).next().unwrap_or_default();
        match invalid_in(name) {
            Some(wrong) => self.out_of_place(self.position(name) + wrong, element),
            None => (self.position(tag) + at, format!("the attribute {name} of <{element}> {what}")),
        }
    }

    fn end_tag(&mut self, name: &str, tag: usize) -> Parsed<()> {
        if self.format.empty.contains(&name) {
            return Ok(());
        }
        match self.stack.pop() {
            Some(open) if open.name == name => {
                if self.skipped_from == usize::MAX {
                    self.tree.nodes[open.node + 1] = (self.tree.nodes.len() / NODE) as u32;
                    self.in_text = false;
                } else if self.skipped_from == self.stack.len() {
                    self.skipped_from = usize::MAX;
                }
                Ok(())
            }
            _ if invalid_in(name).is_some_and(|wrong| wrong > 0) => {
                let name = &name[..name_length(name)];
                Err((tag + 2 + name.len(), format!("</{name} is not closed")))
            }
            Some(open) => {
                let (line, _) = line_and_column(self.source, open.at);
                Err((tag, format!("</{name}> found; expected the end of <{}> of line {line}", open.name)))
            }
            None => Err((tag, format!("</{name}> found; no element is open"))),
        }
    }

    /// Position of a part of the source.
    fn position(&self, part: &'a str) -> usize {
        part.as_ptr() as usize - self.source.as_ptr() as usize
    }

    /// Slot of a name in `recent`. The name replaces the slot's previous name. For an invalid name,
    /// the position of its first wrong byte.
    fn known(&mut self, name: &'a str, is_attribute: bool) -> Result<usize, usize> {
        let place = place(name, is_attribute);
        if self.recent[place].name != name {
            if let Some(wrong) = invalid_in(name) {
                return Err(wrong);
            }
            let local = name.split_once(':').map_or(name, |(_, local)| local);
            let is_skipped = self.format.skip.contains(&local);
            let is_empty = self.format.empty.contains(&local);
            self.recent[place] = Recent { name, local, is_skipped, is_empty, id: None };
        }
        Ok(place)
    }

    /// The number of a name, with its role.
    fn id(&mut self, known: usize, name: &'a str, is_attribute: bool, at: usize) -> Parsed<u32> {
        if let Some(id) = self.recent[known].id {
            return Ok(id);
        }
        if let Some(&id) = self.ids.get(&(name, is_attribute)) {
            self.recent[known].id = Some(id);
            return Ok(id);
        }
        if self.ids.len() >= self.limits.names {
            return Err((at, format!("more than {} names of elements and attributes", self.limits.names)));
        }
        let role = if is_attribute { Role::of_attribute(name) } else { Role::of_element(name) };
        let id = self.tree.names.len() as u32 | (role as u32) << NAME_BITS;
        self.tree.names.push(name.to_owned());
        self.ids.insert((name, is_attribute), id);
        self.recent[known].id = Some(id);
        Ok(id)
    }

    fn is_text_kept(&self) -> bool {
        !self.stack.is_empty() && !self.is_skipping()
    }

    /// Adds characters as they are. Text outside the roots is ignored.
    fn text(&mut self, text: &str, at: usize) -> Parsed<()> {
        if !text.is_empty() && self.is_text_kept() {
            let from = self.tree.text.len();
            self.plain(text, at)?;
            self.push_text(from);
        }
        Ok(())
    }

    /// Adds the characters of `&name;`. An unknown reference stays as written.
    fn reference(&mut self, reference: &BytesRef, at: usize) -> Parsed<()> {
        if !self.is_text_kept() {
            return Ok(());
        }
        let from = self.tree.text.len();
        if !append(reference, &mut self.tree.text) {
            return self.unknown(&format!("&{};", reference.xml10_content()), at);
        }
        self.push_text(from);
        Ok(())
    }

    /// Adds text that begins with a bare `&`, or an unknown reference.
    fn unknown(&mut self, text: &str, at: usize) -> Parsed<()> {
        if self.is_text_kept() {
            self.fault(at)?;
        }
        self.text(text, at)
    }

    /// Adds the new text as a node, or appends it to the previous text node.
    fn push_text(&mut self, from: usize) {
        let (nodes, end) = (&mut self.tree.nodes, self.tree.text.len() as u32);
        match nodes.last_mut() {
            Some(last) if self.in_text => *last = end,
            _ => nodes.extend([TEXT, (nodes.len() / NODE + 1) as u32, from as u32, end]),
        }
        self.in_text = true;
    }

    /// Adds the value of an attribute with its references replaced. Unknown references stay as
    /// written.
    fn attribute_value(&mut self, value: &str, at: usize) -> Parsed<()> {
        for (number, part) in value.split('&').enumerate() {
            let rest = match part.split_once(';') {
                _ if number == 0 => part,
                Some((name, rest)) if append(&BytesRef::new(name), &mut self.tree.text) => rest,
                _ => {
                    self.fault(at)?;
                    self.tree.text.push(b'&');
                    part
                }
            };
            let start = self.tree.text.len();
            self.plain(&BytesText::from_escaped(rest).xml10_content(), at)?;
            let spaces = self.tree.text[start..].iter_mut().filter(|byte| is_space(**byte));
            spaces.for_each(|byte| *byte = b' ');
        }
        Ok(())
    }

    /// Adds characters as they are, and counts the invalid ones.
    fn plain(&mut self, text: &str, at: usize) -> Parsed<()> {
        let odd = |&&byte: &&u8| byte < 0x20 && !is_space(byte);
        let count = text.as_bytes().iter().filter(odd).count();
        if count > 0 {
            self.faults += count - 1;
            self.fault(at)?;
        }
        self.tree.text.extend_from_slice(text.as_bytes());
        Ok(())
    }

    fn fault(&mut self, at: usize) -> Parsed<()> {
        self.faults += 1;
        if self.faults <= self.limits.faults {
            return Ok(());
        }
        Err((at, format!("more than {} invalid characters and unknown entities", self.limits.faults)))
    }

    fn out_of_place(&self, at: usize, element: &str) -> Fault {
        let found = self.source[at..].chars().next().unwrap_or_default();
        (at, format!("{found:?} is out of place in <{element}>"))
    }
}

const UNEXPECTED: &str = "<! found; expected a comment, a CDATA section or a document type";

/// Length of the text that begins here, if it begins with a `<` that should have been an entity:
/// `a < b`. quick-xml would read it as a tag.
fn stray(rest: &[u8]) -> Option<usize> {
    let [b'<', after @ ..] = rest else { return None };
    let is_markup = after.first().is_some_and(|&byte| opens_name(byte) || b"/?!".contains(&byte));
    (!is_markup).then(|| 1 + memchr2(b'<', b'&', after).unwrap_or(after.len()))
}

/// What quick-xml found wrong in the markup whose text after `<` is given.
fn reason(error: &Error, markup: &str) -> String {
    match error {
        Error::Syntax(SyntaxError::InvalidBangMarkup) => UNEXPECTED.into(),
        Error::Syntax(SyntaxError::UnclosedComment) => "a comment is not closed".into(),
        Error::Syntax(SyntaxError::UnclosedCData) => "a CDATA section is not closed".into(),
        Error::Syntax(SyntaxError::UnclosedDoctype) => "a document type is not closed".into(),
        Error::Syntax(SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl) => {
            "a processing instruction is not closed".into()
        }
        Error::Syntax(_) => {
            let slash = usize::from(markup.starts_with('/'));
            let name = &markup[..slash + name_length(&markup[slash..])];
            format!("the document ends within <{name}>")
        }
        other => other.to_string(),
    }
}

fn name_length(text: &str) -> usize {
    text.bytes().position(|byte| !is_name(byte)).unwrap_or(text.len())
}

/// Position of the first byte that makes a name invalid.
fn invalid_in(name: &str) -> Option<usize> {
    match name.as_bytes() {
        [first, rest @ ..] if opens_name(*first) => {
            rest.iter().position(|&byte| !is_name(byte)).map(|at| at + 1)
        }
        _ => Some(0),
    }
}

/// Appends the characters of a reference: `lt`, `#38`, `#x26`. Returns false if it is unknown, or if
/// XML does not allow the character.
fn append(reference: &BytesRef, out: &mut Vec<u8>) -> bool {
    let Ok(numbered) = reference.resolve_char_ref() else { return false };
    let is_allowed = |&c: &char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
    match numbered {
        Some(character) if is_allowed(&character) => {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            true
        }
        Some(_) => false,
        None => named(reference).map(|characters| out.extend_from_slice(characters.as_bytes())).is_some(),
    }
}

fn line_and_column(source: &str, at: usize) -> (usize, usize) {
    let before = &source.as_bytes()[..at.min(source.len())];
    let line_start = memrchr(b'\n', before).map_or(0, |end| end + 1);
    let column = before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
    (memchr_iter(b'\n', before).count() + 1, column + 1)
}

fn damage(source: &str, at: usize, what: &str) -> Damage {
    let (line, column) = line_and_column(source, at);
    Damage(format!("line {line}, column {column}: {what}"))
}
