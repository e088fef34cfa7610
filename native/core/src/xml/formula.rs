//! Writes MathML on one line: `(a + b)/(c)`, `x_i^2`, `√(x)`.

use super::readable::{is_space, DEPTH_MAX};
use super::role::Role;
use super::tree::{Node, View};

/// The formula of an element, or the symbols of a text.
pub fn formula(view: View, index: u32, depth: usize) -> String {
    if depth > DEPTH_MAX {
        return String::new();
    }
    let role = match view.node(index) {
        None => return String::new(),
        Some(Node::Text(text)) => return symbols(text),
        Some(Node::Element(role)) => role,
    };
    let mut parts = view.elements(index);
    let mut part = || operand(view, parts.next(), depth);
    let all = |between: &str| {
        view.elements(index).map(|child| formula(view, child, depth + 1)).collect::<Vec<_>>().join(between)
    };
    match role {
        Role::Fraction => format!("{}/{}", part(), part()),
        Role::Super => format!("{}^{}", part(), part()),
        Role::Sub => format!("{}_{}", part(), part()),
        Role::SubSuper => format!("{}_{}^{}", part(), part(), part()),
        Role::SquareRoot => format!("√({})", all(" ")),
        Role::Root => {
            let base = part();
            format!("{base}^(1/{})", parts.next().map_or(String::new(), |b| formula(view, b, depth + 1)))
        }
        Role::Row => all(", "),
        Role::Table => all("; "),
        Role::Fenced => {
            let open = view.attribute(index, Role::Open).unwrap_or("(");
            let close = view.attribute(index, Role::Close).unwrap_or(")");
            format!("{open}{}{close}", all(", "))
        }
        Role::Annotation => String::new(),
        _ => sequence(view, index, depth),
    }
}

/// Joins parts with spaces between them, except inside brackets and between the characters of a
/// symbol.
fn sequence(view: View, index: u32, depth: usize) -> String {
    let between = if view.elements(index).next().is_some() { " " } else { "" };
    let pieces = view.children(index).map(|child| formula(view, child, depth + 1));
    let joined = pieces.filter(|piece| !piece.is_empty()).collect::<Vec<_>>().join(between);
    let mut out = String::with_capacity(joined.len());
    let mut characters = joined.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '(' | '[' | '{' => {
                out.push(c);
                characters.next_if_eq(&' ');
            }
            ' ' if matches!(characters.peek(), Some(')' | ']' | '}')) => {}
            _ => out.push(c),
        }
    }
    out
}

/// An operand, in brackets if it has more than one symbol.
fn operand(view: View, index: Option<u32>, depth: usize) -> String {
    let text = index.map_or(String::new(), |index| formula(view, index, depth + 1));
    let is_one = text.chars().nth(1).is_none();
    let is_word = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | ','));
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let is_bracketed = inner.is_some_and(|inner| !inner.contains(['(', ')']));
    if is_one || is_word || is_bracketed {
        text
    } else {
        format!("({text})")
    }
}

/// Removes invisible operators and the private-use spacing glyphs of the red book.
fn symbols(text: &str) -> String {
    let shown = text.chars().filter_map(|c| match c {
        '\u{f603}' | '\u{f604}' => Some('|'),
        '\u{2061}'..='\u{2064}' | '\u{e000}'..='\u{f8ff}' => None,
        _ => Some(c),
    });
    shown.collect::<String>().trim_matches(is_space).to_owned()
}
