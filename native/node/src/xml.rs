//! XML documents as typed arrays, and their readable text.

use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::xml::{self, Format, Limits, View};

/// A parsed document. `native/core/src/xml/tree.rs` documents the numbers.
#[napi(object)]
pub struct FlatXml {
    /// Local names of elements, full names of attributes; one a line, because one string crosses to Node faster than
    /// hundreds.
    pub names: String,
    pub nodes: Uint32Array,
    pub attributes: Uint32Array,
    /// UTF-8.
    pub text: Uint8Array,
    /// The error with line and column, if the bytes are not XML. The other fields are empty then.
    pub damage: Option<String>,
}

/// Parses UTF-8; null if the bytes are not UTF-8. Elements named in `skip` are left out; those in `empty` need no end
/// tag.
#[napi(catch_unwind)]
pub fn parse_xml(
    bytes: &[u8],
    #[napi(ts_arg_type = "readonly string[]")] skip: Vec<String>,
    #[napi(ts_arg_type = "readonly string[]")] empty: Vec<String>,
) -> Option<FlatXml> {
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

/// Readable text of a node's content, or of the node itself with `whole`.
#[napi(catch_unwind)]
pub fn xml_readable(nodes: &[u32], attributes: &[u32], text: &[u8], index: u32, whole: bool) -> String {
    xml::readable(View { nodes, attributes, text }, index, whole)
}

/// The characters of a node and its descendants, with white space trimmed and collapsed.
#[napi(catch_unwind)]
pub fn xml_plain(nodes: &[u32], text: &[u8], index: u32) -> String {
    xml::plain(View { nodes, attributes: &[], text }, index)
}
