//! Documents of patent offices: parses XML into a flat tree, and converts marked-up text to
//! readable text.

mod entities;
mod formula;
mod parse;
mod readable;
mod role;
mod tree;

pub use parse::{parse, Damage, Format, Limits};
pub use readable::{plain, readable};
pub use tree::{Node, Tree, View, ATTRIBUTE, NAME_BITS, NODE, TEXT};

#[cfg(test)]
mod tests;
