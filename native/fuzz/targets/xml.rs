//! Fuzzes a document of any format. The result must be damage, or a valid tree of bounded size
//! whose nodes can all be read.
#![no_main]

use libfuzzer_sys::{fuzz_target, Corpus};
use priorart_core::xml::{self, Format, Limits, Node, Tree, ATTRIBUTE, NAME_BITS, NODE, TEXT};

/// Formats of the readers, and one without options.
const FORMATS: [Format; 3] = [
    Format { skip: &[], empty: &[] },
    Format { skip: &["us-sequence-list-doc", "skip"], empty: &[] },
    Format { skip: &["skip"], empty: &["EMI", "ADDRESS-FOOTNOTE", "br", "PCIT"] },
];
/// Number of the first nodes that are read individually. The root reads all.
const READ_NODES: u32 = 6;

/// Most characters of readable text for each byte of the source. Words in brackets replace empty
/// elements (`<mi/>`), MathML adds commas and brackets, and nested superscripts are read once for
/// each level.
const GROWTH: usize = 64;

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(source) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    for format in FORMATS {
        if let Ok(tree) = xml::parse(source, format, Limits::default()) {
            holds_together(&tree, source);
        }
    }
    Corpus::Keep
});

fn holds_together(tree: &Tree, source: &str) {
    let count = (tree.nodes.len() / NODE) as u32;
    assert_eq!(tree.nodes.len() % NODE, 0);
    assert_eq!(tree.attributes.len() % ATTRIBUTE, 0);
    // Some entities are shorter than their characters, but never by more than half.
    assert!(tree.text.len() <= 2 * source.len());
    assert!(count as usize <= 2 * source.len() + 1);
    std::str::from_utf8(&tree.text).expect("text is UTF-8");
    let name = |id: u32| tree.names.get((id & ((1 << NAME_BITS) - 1)) as usize).expect("a name");
    for (index, row) in tree.nodes.chunks_exact(NODE).enumerate() {
        if row[0] == TEXT {
            assert_eq!(row[1] as usize, index + 1);
            assert!(row[2] <= row[3] && row[3] as usize <= tree.text.len());
        } else {
            name(row[0]);
            assert!(row[1] as usize > index && row[1] <= count);
            assert!(row[2] <= row[3] && row[3] as usize * ATTRIBUTE <= tree.attributes.len());
        }
    }
    for entry in tree.attributes.chunks_exact(ATTRIBUTE) {
        name(entry[0]);
        assert!(entry[1] <= entry[2] && entry[2] as usize <= tree.text.len());
    }
    let view = tree.view();
    for index in 0..count.min(READ_NODES) {
        if let Some(Node::Element(_)) = view.node(index) {
            let children: Vec<u32> = view.children(index).collect();
            assert!(children.windows(2).all(|pair| pair[0] < pair[1]));
        }
        let bound = GROWTH * source.len();
        assert!(xml::readable(view, index, false).len() <= bound);
        assert!(xml::readable(view, index, true).len() <= bound);
        assert!(xml::plain(view, index).len() <= tree.text.len() + count as usize);
    }
}
