//! A parsed document as numbers and one text, which is passed to Node as three typed arrays.
//!
//! Each node has four u32, in document order:
//!
//! | | an element | a text |
//! |---|---|---|
//! | 0 | index into `names`; its role from bit 24 | `TEXT` |
//! | 1 | next: index of the first node that is not below it | its own index + 1 |
//! | 2 | its first attribute | start in `text` |
//! | 3 | end of its attributes | end in `text` |
//!
//! The first child of element `i` is `i + 1` if that is less than its `next`. The child after a
//! child is that child's `next`. Each attribute has three u32: name, start and end of its value in
//! `text`.

use super::role::Role;

/// Marks a text, in the place of an element's name.
pub const TEXT: u32 = u32::MAX;
/// u32 of each node.
pub const NODE: usize = 4;
/// u32 of each attribute.
pub const ATTRIBUTE: usize = 3;
/// Bits of a name below its role.
pub const NAME_BITS: u32 = 24;

/// Result of the parser.
#[derive(Debug, Default)]
pub struct Tree {
    /// Local names of elements and full names of attributes.
    pub names: Vec<String>,
    pub nodes: Vec<u32>,
    pub attributes: Vec<u32>,
    /// UTF-8.
    pub text: Vec<u8>,
}

impl Tree {
    pub fn view(&self) -> View<'_> {
        View { nodes: &self.nodes, attributes: &self.attributes, text: &self.text }
    }
}

/// A tree that comes back from Node. Invalid numbers read as empty, never out of bounds.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub nodes: &'a [u32],
    pub attributes: &'a [u32],
    pub text: &'a [u8],
}

/// One node of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node<'a> {
    Element(Role),
    Text(&'a str),
}

impl<'a> View<'a> {
    fn row(&self, index: u32) -> Option<&'a [u32]> {
        self.nodes.chunks_exact(NODE).nth(index as usize)
    }

    fn slice(&self, start: u32, end: u32) -> &'a str {
        let bytes = self.text.get(start as usize..end as usize).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub fn node(&self, index: u32) -> Option<Node<'a>> {
        let row = self.row(index)?;
        Some(match row[0] {
            TEXT => Node::Text(self.slice(row[2], row[3])),
            name => Node::Element(Role::from_bits(name >> NAME_BITS)),
        })
    }

    /// Index of the first node after this one and its descendants; beyond the end if there is none.
    pub fn next(&self, index: u32) -> u32 {
        let after = index.saturating_add(1);
        self.row(index).map_or(after, |row| row[1].max(after))
    }

    /// The children of an element, in order.
    pub fn children(self, index: u32) -> impl Iterator<Item = u32> + use<'a> {
        let end = self.next(index).min((self.nodes.len() / NODE) as u32);
        let mut at = index.saturating_add(1);
        std::iter::from_fn(move || {
            let child = at;
            (child < end).then(|| at = self.next(child)).map(|()| child)
        })
    }

    /// The children that are elements.
    pub fn elements(self, index: u32) -> impl Iterator<Item = u32> + use<'a> {
        self.children(index).filter(move |&child| matches!(self.node(child), Some(Node::Element(_))))
    }

    /// The value of the attribute with a role.
    pub fn attribute(&self, index: u32, role: Role) -> Option<&'a str> {
        let row = self.row(index)?;
        let own = self.attributes.get(row[2] as usize * ATTRIBUTE..row[3] as usize * ATTRIBUTE)?;
        let found =
            own.chunks_exact(ATTRIBUTE).find(|entry| Role::from_bits(entry[0] >> NAME_BITS) == role)?;
        Some(self.slice(found[1], found[2]))
    }
}
