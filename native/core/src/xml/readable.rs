//! Converts marked-up text to plain text for people and models: tables row by row, lists item by
//! item, formulas on one line, chemistry and images as a word in brackets. A line feed is a line
//! end of the document; other white space is collapsed.

use super::formula::formula;
use super::role::Role;
use super::tree::{Node, View};

/// A line end that survives the collapsing of white space: a private-use character. In texts of a
/// document it becomes a space.
const LINE: char = '\u{e000}';
/// The border between two cells, a private-use character too. Borders at the end of a line are
/// dropped; bars of a text are kept. `src/ingest/readers/cn-text.ts` has a third mark, U+E002.
const BORDER: char = '\u{e001}';

/// The parser bounds the depth, but trees from callers must not exhaust the stack either.
pub const DEPTH_MAX: usize = 512;

/// The readable text of an element's contents, or with `whole` of the element itself, such as a
/// table. Empty if it has no text.
pub fn readable(view: View, index: u32, whole: bool) -> String {
    let mut out = String::new();
    if whole {
        write(view, index, 0, &mut out);
    } else {
        write_children(view, index, 0, &mut out);
    }
    tidy(&out)
}

/// All characters of a node and its descendants, with white space trimmed and collapsed.
pub fn plain(view: View, index: u32) -> String {
    let mut out = String::new();
    for at in index..view.next(index).min((view.nodes.len() / super::tree::NODE) as u32) {
        if let Some(Node::Text(text)) = view.node(at) {
            push_collapsed(text, &mut out);
        }
    }
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// White space according to ECMAScript's `\s` and `trim`.
pub fn is_space(c: char) -> bool {
    (c.is_whitespace() && c != '\u{85}') || c == '\u{feff}'
}

/// Adds a text with runs of white space collapsed to one space, and without a space at the start of
/// `out`.
fn push_collapsed(text: &str, out: &mut String) {
    for (at, word) in text.split(is_space).enumerate() {
        if at > 0 && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(word);
    }
}

/// Collapses white space and turns marks into line ends. Removes empty lines and cell borders at
/// line ends.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = tidy_start(rest);
        out.push_str(&rest[..word]);
        rest = &rest[word..];
        let gap = rest.find(|c| c != LINE && !is_space(c)).unwrap_or(rest.len());
        if rest[..gap].contains(LINE) {
            trim_border(&mut out);
            if !out.is_empty() && !out.ends_with('\n') {
                out.push('\n');
            }
        } else if gap > 0 && !out.is_empty() && !out.ends_with('\n') {
            out.push(' ');
        }
        rest = &rest[gap..];
    }
    trim_border(&mut out);
    out.truncate(out.trim_end_matches('\n').len());
    if out.contains(BORDER) {
        out = out.replace(BORDER, "|");
    }
    out
}

/// Length of a prefix that needs no change: words with single spaces between them. It may be
/// shorter than possible.
fn tidy_start(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_gap = |byte: u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            // A space after a word and before one that begins with ASCII.
            b' ' if at > 0 && bytes.get(at + 1).is_some_and(|&next| next.is_ascii() && !is_gap(next)) => 2,
            _ if is_gap(byte) => break,
            0..=0x7f => 1,
            // The first bytes of all wide spaces, of the byte order mark and of `LINE`.
            0xc2 | 0xe1..=0xe3 | 0xee | 0xef => {
                let c = text[at..].chars().next().unwrap_or(LINE);
                if c == LINE || is_space(c) {
                    break;
                }
                c.len_utf8()
            }
            0x80..=0xdf => 2,
            0xe0..=0xef => 3,
            _ => 4,
        };
    }
    at
}

fn trim_border(out: &mut String) {
    out.truncate(out.trim_end_matches([' ', BORDER]).len());
}

fn write_children(view: View, index: u32, depth: usize, out: &mut String) {
    view.children(index).for_each(|child| write(view, child, depth + 1, out));
}

fn write(view: View, index: u32, depth: usize, out: &mut String) {
    if depth > DEPTH_MAX {
        return;
    }
    let role = match view.node(index) {
        None => return,
        Some(Node::Text(text)) => {
            text.split([LINE, BORDER]).enumerate().for_each(|(at, part)| {
                out.extend((at > 0).then_some(' '));
                out.push_str(part);
            });
            return;
        }
        Some(Node::Element(role)) => role,
    };
    match role {
        Role::Math => {
            let text = formula(view, index, depth);
            if !text.is_empty() {
                out.extend([" ", &text, " "]);
            }
        }
        Role::LineBreak => out.push(LINE),
        Role::Superscript => superscript(view, index, depth, out),
        Role::Chemistry => out.extend(["\u{e000}[chemical structure]\u{e000}"]),
        Role::Maths => formula_block(view, index, depth, out),
        Role::Image => out.push_str("[image]"),
        Role::Cell => {
            let mut cell = String::new();
            write_children(view, index, depth, &mut cell);
            out.push_str(&tidy(&cell).replace('\n', " "));
            out.extend([' ', BORDER, ' ']);
        }
        Role::Block => {
            out.push(LINE);
            write_children(view, index, depth, out);
            out.push(LINE);
        }
        // White space between its parts is only layout of the file.
        Role::Flat => view.children(index).for_each(|child| match view.node(child) {
            Some(Node::Element(Role::Block)) => write_children(view, child, depth + 1, out),
            Some(Node::Text(text)) if text.trim().is_empty() => {}
            _ => write(view, child, depth + 1, out),
        }),
        Role::Nothing | Role::Annotation => {}
        _ => write_children(view, index, depth, out),
    }
}

/// `<maths>` holds MathML and pictures of it. Pictures are ignored if there is other text.
fn formula_block(view: View, index: u32, depth: usize, out: &mut String) {
    let is_picture = |&child: &u32| view.node(child) == Some(Node::Element(Role::Image));
    let mut text = String::new();
    view.elements(index)
        .filter(|child| !is_picture(child))
        .for_each(|child| write(view, child, depth + 1, &mut text));
    match tidy(&text).is_empty() {
        true => out.push_str(" [formula] "),
        false => out.extend(["\u{e000}", &text, "\u{e000}"]),
    }
}

/// `10<sup>6</sup>` must not become 106. `Li<sup>+</sup>` and footnote letters need no `^`.
fn superscript(view: View, index: u32, depth: usize, out: &mut String) {
    let mut text = String::new();
    write_children(view, index, depth, &mut text);
    let start = text.trim_start_matches(is_space);
    let unsigned = start.strip_prefix(['-', '+', '−', '–', '±', '－']).unwrap_or(start);
    if unsigned.trim_start_matches(is_space).starts_with(|c| matches!(c, '0'..='9' | '０'..='９')) {
        out.extend(["^", text.trim_matches(is_space), if text.ends_with(is_space) { " " } else { "" }]);
    } else {
        out.push_str(&text);
    }
}
