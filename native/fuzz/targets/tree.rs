//! Fuzzes a tree that comes back from JavaScript with arbitrary numbers. Invalid numbers must read
//! as empty.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use priorart_core::xml::{self, Node, View, NODE};

#[derive(Arbitrary, Debug)]
struct Made {
    nodes: Vec<[SmallOrAny; NODE]>,
    attributes: Vec<SmallOrAny>,
    text: Vec<u8>,
    index: SmallOrAny,
}

#[derive(Arbitrary, Clone, Copy, Debug)]
enum SmallOrAny {
    Small(u8),
    /// A role of an element, without a name.
    Role(u8),
    Any(u32),
}

impl SmallOrAny {
    fn number(self) -> u32 {
        match self {
            SmallOrAny::Small(number) => number.into(),
            SmallOrAny::Role(role) => u32::from(role) << xml::NAME_BITS,
            SmallOrAny::Any(number) => number,
        }
    }
}

/// Nodes of a tree. Overlapping ranges are read repeatedly, so larger trees could take too long.
const NODES: usize = 24;

fuzz_target!(|made: Made| {
    let nodes: Vec<u32> = made.nodes.iter().take(NODES).flatten().map(|number| number.number()).collect();
    let attributes: Vec<u32> = made.attributes.iter().map(|number| number.number()).collect();
    let view = View { nodes: &nodes, attributes: &attributes, text: &made.text };
    let count = (nodes.len() / NODE) as u32;
    for index in (0..count).chain([made.index.number()]) {
        if view.node(index).is_none() {
            assert!(index >= count);
        }
        assert!(view.next(index) > index || index == u32::MAX);
        view.elements(index).for_each(|child| assert!(matches!(view.node(child), Some(Node::Element(_)))));
        xml::readable(view, index, true);
        xml::readable(view, index, false);
        xml::plain(view, index);
    }
});
