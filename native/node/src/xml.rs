//! XML documents as typed arrays, and their readable text.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::xml::{self, Format, Limits, View};

/// A flat tree (see `xml/tree.rs` in priorart-core), or why the document is damaged.
#[napi(object)]
pub struct FlatXml {
    /// Names, one per line: one text crosses to Node faster than hundreds.
    pub names: String,
    pub nodes: Uint32Array,
    pub attributes: Uint32Array,
    /// UTF-8.
    pub text: Uint8Array,
    /// Position and reason, `line 3, column 7: …`. All other fields are then empty.
    pub damage: Option<String>,
}

/// Parses UTF-8; null if the bytes are not UTF-8. Elements in `skip` are omitted; elements in
/// `empty` need no end tag.
#[napi(catch_unwind)]
pub fn parse_xml(bytes: &[u8], skip: Vec<String>, empty: Vec<String>) -> Option<FlatXml> {
    let source = std::str::from_utf8(bytes).ok()?;
    let skip: Vec<&str> = skip.iter().map(String::as_str).collect();
    let empty: Vec<&str> = empty.iter().map(String::as_str).collect();
    let format = Format { skip: &skip, empty: &empty };
    let (tree, damage) = match xml::parse(source, format, Limits::default()) {
        Ok(tree) => (tree, None),
        Err(xml::Damage(reason)) => (xml::Tree::default(), Some(reason)),
    };
    let xml::Tree { names, nodes, attributes, text } = tree;
    let names = names.join("\n");
    Some(FlatXml { names, nodes: nodes.into(), attributes: attributes.into(), text: text.into(), damage })
}

/// The readable text of a node's contents, or with `whole` of the node itself.
#[napi(catch_unwind)]
pub fn xml_readable(nodes: &[u32], attributes: &[u32], text: &[u8], index: u32, whole: bool) -> String {
    xml::readable(View { nodes, attributes, text }, index, whole)
}

/// The characters of a node and its descendants, with white space trimmed and collapsed.
#[napi(catch_unwind)]
pub fn xml_plain(nodes: &[u32], text: &[u8], index: u32) -> String {
    xml::plain(View { nodes, attributes: &[], text }, index)
}
