//! Parses XML into a flat tree. Made for real files of the offices: faults that do not harm the
//! content are kept as text (a bare `&` or `<`, an unknown entity, control characters, several
//! roots, text between them). A tag that does not match is damage. No DTD or external entity is
//! loaded. Entities that a document defines itself are kept as written, so they cannot expand.
//!
//! quick-xml is not used: it reads `a < b` as a tag, and positions, names and tolerated faults
//! would have to be checked again on top of it. `examples/xml_speed.rs` compares the two: building
//! this tree from quick-xml's events is no faster (BENCHMARKS.md, section Ingest).

use super::entities::{named, NAME_MAX};
use super::role::Role;
use super::tree::{Tree, ATTRIBUTE, NAME_BITS, NODE, TEXT};
use memchr::{memchr, memmem};
use std::collections::{HashMap, HashSet};

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
    let mut parser = Parser {
        source,
        bytes: source.as_bytes(),
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
    if source.len() > limits.bytes {
        return Err(parser.damage(0, &format!("the document has more than {} bytes", limits.bytes)));
    }
    parser.tree.text.reserve(source.len());
    let whole = parser.document();
    whole.map_err(|(at, what)| parser.damage(at, &what))?;
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
    bytes: &'a [u8],
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

const fn opens_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b':' || byte >= 0x80
}

const fn is_name(byte: u8) -> bool {
    opens_name(byte) || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

const IS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < table.len() {
        table[byte] = is_name(byte as u8);
        byte += 1;
    }
    table
};

impl<'a> Parser<'a> {
    fn document(&mut self) -> Parsed<()> {
        let mut at = 0;
        while let Some(found) = memchr(b'<', &self.bytes[at..]) {
            let tag = at + found;
            self.text(at, tag)?;
            at = match self.bytes.get(tag + 1) {
                Some(&byte) if opens_name(byte) => self.start_tag(tag)?,
                Some(b'/') => self.end_tag(tag)?,
                Some(b'?') => self.behind(tag, b"?>", "a processing instruction")?,
                Some(b'!') => self.declaration(tag)?,
                // `a < b`: a `<` that should have been an entity.
                _ => {
                    self.literal(tag, tag + 1)?;
                    tag + 1
                }
            };
        }
        self.text(at, self.bytes.len())?;
        if let Some(open) = self.stack.last() {
            return Err((self.bytes.len(), format!("the document ends before </{}>", open.name)));
        }
        if self.elements == 0 {
            return Err((self.bytes.len(), "the document has no element".into()));
        }
        Ok(())
    }

    fn is_skipping(&self) -> bool {
        self.stack.len() >= self.skipped_from
    }

    fn start_tag(&mut self, tag: usize) -> Parsed<usize> {
        let end = self.name_end(tag + 1);
        let name = &self.source[tag + 1..end];
        self.elements += 1;
        if self.stack.len() >= self.limits.depth {
            return Err((tag, format!("elements nested deeper than {}", self.limits.depth)));
        }
        if self.elements > self.limits.elements {
            return Err((tag, format!("more than {} elements", self.limits.elements)));
        }
        let known = self.known(name, false);
        let Recent { local, is_skipped, is_empty, .. } = self.recent[known];
        if !self.is_skipping() && is_skipped {
            self.skipped_from = self.stack.len();
        }
        let kept = !self.is_skipping();
        let node = self.tree.nodes.len();
        let first = self.tree.attributes.len() / ATTRIBUTE;
        let (after, closed) = self.attributes(name, end, kept)?;
        let closed = closed || is_empty;
        if kept {
            let id = self.id(known, local, false, tag)?;
            let last = self.tree.attributes.len() / ATTRIBUTE;
            self.tree.nodes.extend([id, (node / NODE + 1) as u32, first as u32, last as u32]);
            self.in_text = false;
        }
        if !closed {
            self.stack.push(Open { name, node, at: tag });
        } else if self.skipped_from == self.stack.len() {
            self.skipped_from = usize::MAX;
        }
        Ok(after)
    }

    /// Reads to the end of a start tag. Returns the position after it, and whether the tag closes
    /// its element.
    fn attributes(&mut self, element: &str, mut at: usize, kept: bool) -> Parsed<(usize, bool)> {
        let mut many: Option<HashSet<&str>> = None;
        let mut names: [&str; 16] = [""; 16];
        let mut count = 0;
        loop {
            let space = self.spaces_end(at);
            match self.bytes.get(space) {
                None => return Err((space, format!("the document ends within <{element}>"))),
                Some(b'>') => return Ok((space + 1, false)),
                Some(b'/') if self.bytes.get(space + 1) == Some(&b'>') => return Ok((space + 2, true)),
                Some(&byte) if opens_name(byte) && space > at => {}
                Some(_) => {
                    let found = self.source[space..].chars().next().unwrap_or_default();
                    return Err((space, format!("{found:?} is out of place in <{element}>")));
                }
            }
            let end = self.name_end(space);
            let name = &self.source[space..end];
            let repeated = match (&mut many, names.get_mut(count)) {
                (None, Some(place)) => {
                    *place = name;
                    names[..count].contains(&name)
                }
                (many, _) => !many.get_or_insert_with(|| names.into_iter().collect()).insert(name),
            };
            if repeated {
                return Err((space, format!("<{element}> has the attribute {name} twice")));
            }
            count += 1;
            at = self.attribute_value(element, name, end, kept)?;
        }
    }

    /// Reads `= "value"`. Returns the position after the quote.
    fn attribute_value(&mut self, element: &str, name: &'a str, end: usize, kept: bool) -> Parsed<usize> {
        let equals = self.spaces_end(end);
        if self.bytes.get(equals) != Some(&b'=') {
            return Err((equals, format!("the attribute {name} of <{element}> has no value")));
        }
        let quote = self.spaces_end(equals + 1);
        let Some(&mark @ (b'"' | b'\'')) = self.bytes.get(quote) else {
            return Err((
                quote,
                format!("the value of the attribute {name} of <{element}> is not in quotes"),
            ));
        };
        let Some(length) = memchr(mark, &self.bytes[quote + 1..]) else {
            return Err((self.bytes.len(), format!("the document ends within <{element}>")));
        };
        let value = &self.source[quote + 1..quote + 1 + length];
        if kept {
            let start = self.tree.text.len();
            self.decode(value, quote + 1, true)?;
            let known = self.known(name, true);
            let id = self.id(known, name, true, quote)?;
            self.tree.attributes.extend([id, start as u32, self.tree.text.len() as u32]);
        }
        Ok(quote + length + 2)
    }

    fn end_tag(&mut self, tag: usize) -> Parsed<usize> {
        let expected = self.stack.last().map_or(0, |open| open.name.len());
        let is_expected = self.bytes.get(tag + 2 + expected) == Some(&b'>')
            && self.stack.last().is_some_and(|open| self.bytes[tag + 2..].starts_with(open.name.as_bytes()));
        let end = if is_expected { tag + 2 + expected } else { self.name_end(tag + 2) };
        let name = &self.source[tag + 2..end];
        let after = self.spaces_end(end);
        match self.bytes.get(after) {
            Some(b'>') => {}
            None => return Err((after, format!("the document ends within </{name}>"))),
            Some(_) => return Err((after, format!("</{name} is not closed"))),
        }
        if self.format.empty.contains(&name) {
            return Ok(after + 1);
        }
        match self.stack.pop() {
            Some(open) if open.name == name => {
                if self.skipped_from == usize::MAX {
                    self.tree.nodes[open.node + 1] = (self.tree.nodes.len() / NODE) as u32;
                    self.in_text = false;
                } else if self.skipped_from == self.stack.len() {
                    self.skipped_from = usize::MAX;
                }
                Ok(after + 1)
            }
            Some(open) => {
                let (line, _) = self.line_and_column(open.at);
                Err((tag, format!("</{name}> found; expected the end of <{}> of line {line}", open.name)))
            }
            None => Err((tag, format!("</{name}> found; no element is open"))),
        }
    }

    /// Reads `<!--`, `<![CDATA[` or `<!DOCTYPE`. Everything else that begins with `<!` is damage.
    fn declaration(&mut self, tag: usize) -> Parsed<usize> {
        let rest = &self.bytes[tag..];
        if rest.starts_with(b"<!--") {
            return self.behind(tag + 4, b"-->", "a comment");
        }
        if rest.starts_with(b"<![CDATA[") {
            let after = self.behind(tag + 9, b"]]>", "a CDATA section")?;
            self.literal(tag + 9, after - 3)?;
            return Ok(after);
        }
        if rest.starts_with(b"<!DOCTYPE") && self.stack.is_empty() {
            return self.doctype(tag);
        }
        Err((tag, "<! found; expected a comment, a CDATA section or a document type".into()))
    }

    fn behind(&self, from: usize, mark: &[u8], what: &str) -> Parsed<usize> {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let found = memmem::find(rest, mark);
        found.map(|at| from + at + mark.len()).ok_or_else(|| (from, format!("{what} is not closed")))
    }

    /// Returns the position after the document type. Its declarations are skipped.
    fn doctype(&self, tag: usize) -> Parsed<usize> {
        let mut at = tag + 9;
        let mut inside = false;
        loop {
            match self.bytes.get(at) {
                None => return Err((tag, "a document type is not closed".into())),
                Some(b'[') => inside = true,
                Some(b']') => inside = false,
                Some(b'>') if !inside => return Ok(at + 1),
                Some(&quote @ (b'"' | b'\'')) => {
                    at = self.behind(at + 1, &[quote], "a quoted text in the document type")?;
                    continue;
                }
                Some(b'<') if self.bytes[at..].starts_with(b"<!--") => {
                    at = self.behind(at + 4, b"-->", "a comment")?;
                    continue;
                }
                Some(b'<') if self.bytes[at..].starts_with(b"<?") => {
                    at = self.behind(at + 2, b"?>", "a processing instruction")?;
                    continue;
                }
                Some(_) => {}
            }
            at += 1;
        }
    }

    fn name_end(&self, from: usize) -> usize {
        let rest = &self.bytes[from..];
        from + rest.iter().position(|&byte| !IS_NAME[byte as usize]).unwrap_or(rest.len())
    }

    fn spaces_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len())
    }

    /// Slot of a name in `recent`. The name replaces the slot's previous name.
    fn known(&mut self, name: &'a str, is_attribute: bool) -> usize {
        let place = place(name, is_attribute);
        if self.recent[place].name != name {
            let local = name.split_once(':').map_or(name, |(_, local)| local);
            let is_skipped = self.format.skip.contains(&local);
            let is_empty = self.format.empty.contains(&local);
            self.recent[place] = Recent { name, local, is_skipped, is_empty, id: None };
        }
        place
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

    /// Adds the character data between two tags. Text outside the roots is ignored.
    fn text(&mut self, start: usize, end: usize) -> Parsed<()> {
        if start < end && self.is_text_kept() {
            let from = self.tree.text.len();
            self.decode(&self.source[start..end], start, false)?;
            self.push_text(from);
        }
        Ok(())
    }

    /// Adds characters as they are.
    fn literal(&mut self, start: usize, end: usize) -> Parsed<()> {
        if start < end && self.is_text_kept() {
            let from = self.tree.text.len();
            self.plain(&self.source[start..end], start, false)?;
            self.push_text(from);
        }
        Ok(())
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

    /// Adds text with its references replaced. Unknown references stay as written.
    fn decode(&mut self, text: &str, offset: usize, in_attribute: bool) -> Parsed<()> {
        let mut from = 0;
        while let Some(found) = memchr(b'&', &text.as_bytes()[from..]) {
            let at = from + found;
            self.plain(&text[from..at], offset + from, in_attribute)?;
            from = match reference(&text[at..]) {
                Some((length, Replacement::Named(characters))) => {
                    self.tree.text.extend_from_slice(characters.as_bytes());
                    at + length
                }
                Some((length, Replacement::One(character))) => {
                    self.tree.text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                    at + length
                }
                None => {
                    self.fault(offset + at)?;
                    self.tree.text.push(b'&');
                    at + 1
                }
            };
        }
        self.plain(&text[from..], offset + from, in_attribute)
    }

    /// Adds characters with line ends normalised as XML requires: to LF, in attributes to spaces.
    fn plain(&mut self, text: &str, offset: usize, in_attribute: bool) -> Parsed<()> {
        let bytes = text.as_bytes();
        let odd = |&&byte: &&u8| byte < 0x20 && !is_space(byte);
        let count = bytes.iter().filter(odd).count();
        if count > 0 {
            self.faults += count - 1;
            self.fault(offset)?;
        }
        let start = self.tree.text.len();
        let mut from = 0;
        while let Some(found) = memchr(b'\r', &bytes[from..]) {
            self.tree.text.extend_from_slice(&bytes[from..from + found]);
            self.tree.text.push(b'\n');
            from += found + 1;
            from += usize::from(bytes.get(from) == Some(&b'\n'));
        }
        self.tree.text.extend_from_slice(&bytes[from..]);
        if in_attribute {
            let spaces = self.tree.text[start..].iter_mut().filter(|byte| is_space(**byte));
            spaces.for_each(|byte| *byte = b' ');
        }
        Ok(())
    }

    fn fault(&mut self, at: usize) -> Parsed<()> {
        self.faults += 1;
        if self.faults <= self.limits.faults {
            return Ok(());
        }
        Err((at, format!("more than {} invalid characters and unknown entities", self.limits.faults)))
    }

    fn line_and_column(&self, at: usize) -> (usize, usize) {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        let column = before[line_start..].iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        (memchr::memchr_iter(b'\n', before).count() + 1, column + 1)
    }

    fn damage(&self, at: usize, what: &str) -> Damage {
        let (line, column) = self.line_and_column(at);
        Damage(format!("line {line}, column {column}: {what}"))
    }
}

enum Replacement {
    Named(&'static str),
    One(char),
}

/// The reference at the start of a text: its length and its replacement.
fn reference(text: &str) -> Option<(usize, Replacement)> {
    let end = memchr(b';', &text.as_bytes()[..text.len().min(NAME_MAX + 2)])?;
    let name = text.get(1..end)?;
    let replacement = match name.strip_prefix('#') {
        Some(number) => Replacement::One(numbered(number)?),
        None => Replacement::Named(named(name)?),
    };
    Some((end + 1, replacement))
}

/// The character of `38` or `x26`, if XML allows it.
fn numbered(number: &str) -> Option<char> {
    let code = match number.strip_prefix('x') {
        Some(hex) if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16).ok()?,
        None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse().ok()?,
        _ => return None,
    };
    let allowed = matches!(code, 9 | 10 | 13 | 0x20..=0xfffd | 0x10000..);
    char::from_u32(code).filter(|_| allowed)
}
