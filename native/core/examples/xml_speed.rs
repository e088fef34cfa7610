//! `cargo run --release --example xml_speed -- FILE [TIMES]`: compares the parser of this crate
//! with quick-xml on one thread. Times quick-xml's events alone, the same flat tree built from
//! these events, and this crate's parser.

use priorart_core::xml::{self, Format, Limits, Tree};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

const NODE: usize = 4;
const ATTRIBUTE: usize = 3;
const VERSION: XmlVersion = XmlVersion::Implicit1_0;

fn events(source: &str) -> usize {
    let mut reader = Reader::from_str(source);
    let mut count = 0;
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Eof => return count,
            event => {
                black_box(event);
                count += 1;
            }
        }
    }
}

/// Builds the tree of `xml::parse`, without roles, limits, tolerated faults and skipped elements.
struct Build<'a> {
    tree: Tree,
    ids: HashMap<(&'a str, bool), u32>,
    open: Vec<usize>,
    in_text: bool,
}

impl<'a> Build<'a> {
    fn id(&mut self, name: &str, is_attribute: bool) -> u32 {
        // Names of events borrow from the source, but their type does not have its lifetime.
        let name: &'a str = unsafe { std::mem::transmute::<&str, &'a str>(name) };
        let next = self.ids.len() as u32;
        *self.ids.entry((name, is_attribute)).or_insert_with(|| {
            self.tree.names.push(name.to_owned());
            next
        })
    }

    fn start(&mut self, tag: &BytesStart) {
        let first = (self.tree.attributes.len() / ATTRIBUTE) as u32;
        for attribute in tag.attributes() {
            let attribute = attribute.expect("well-formed");
            let value = attribute.normalized_value(VERSION).expect("known entities");
            let from = self.tree.text.len() as u32;
            self.tree.text.extend_from_slice(value.as_bytes());
            let id = self.id(attribute.key.as_ref(), true);
            self.tree.attributes.extend([id, from, self.tree.text.len() as u32]);
        }
        let id = self.id(tag.local_name().as_ref(), false);
        let next = (self.tree.nodes.len() / NODE + 1) as u32;
        self.tree.nodes.extend([id, next, first, (self.tree.attributes.len() / ATTRIBUTE) as u32]);
        self.in_text = false;
    }

    fn end(&mut self) {
        let node = self.open.pop().expect("an open element");
        self.tree.nodes[node + 1] = (self.tree.nodes.len() / NODE) as u32;
        self.in_text = false;
    }

    fn text(&mut self, text: &str) {
        if self.open.is_empty() || text.is_empty() {
            return;
        }
        let from = self.tree.text.len() as u32;
        self.tree.text.extend_from_slice(text.as_bytes());
        let (nodes, end) = (&mut self.tree.nodes, self.tree.text.len() as u32);
        match nodes.last_mut() {
            Some(last) if self.in_text => *last = end,
            _ => nodes.extend([u32::MAX, (nodes.len() / NODE + 1) as u32, from, end]),
        }
        self.in_text = true;
    }
}

fn quick_tree(source: &str) -> Tree {
    let mut reader = Reader::from_str(source);
    let mut build = Build { tree: Tree::default(), ids: HashMap::new(), open: Vec::new(), in_text: false };
    build.tree.text.reserve(source.len());
    loop {
        match reader.read_event().expect("well-formed") {
            Event::Start(tag) => {
                build.open.push(build.tree.nodes.len());
                build.start(&tag);
            }
            Event::Empty(tag) => build.start(&tag),
            Event::End(_) => build.end(),
            Event::Text(text) => build.text(&text.xml_content(VERSION)),
            Event::CData(text) => build.text(&text.xml_content(VERSION)),
            Event::GeneralRef(reference) => match reference.resolve_char_ref().expect("a character") {
                Some(c) => build.text(c.encode_utf8(&mut [0; 4])),
                None => match quick_xml::escape::resolve_predefined_entity(&reference.xml_content(VERSION)) {
                    Some(known) => build.text(known),
                    None => build.text(&format!("&{};", &*reference.xml_content(VERSION))),
                },
            },
            Event::Eof => return build.tree,
            _ => {}
        }
    }
}

fn own_tree(source: &str) -> Tree {
    xml::parse(source, Format::default(), Limits::default()).expect("well-formed")
}

/// Speed of the fastest of some runs over all documents, MB/s.
fn speed<T>(documents: &[&str], times: usize, work: impl Fn(&str) -> T) -> f64 {
    let bytes: usize = documents.iter().map(|document| document.len()).sum();
    let seconds = (0..times).map(|_| {
        let started = Instant::now();
        documents.iter().for_each(|document| {
            black_box(work(document));
        });
        started.elapsed().as_secs_f64()
    });
    bytes as f64 / 1e6 / seconds.fold(f64::INFINITY, f64::min)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().expect("usage: xml_speed FILE [TIMES]");
    let times = arguments.next().map_or(10, |times| times.parse().expect("a number of times"));
    let source = std::fs::read_to_string(file).expect("a file in UTF-8");
    let starts = source.match_indices("<?xml").map(|(at, _)| at).chain([source.len()]).collect::<Vec<_>>();
    let documents: Vec<&str> = starts.windows(2).map(|pair| &source[pair[0]..pair[1]]).collect();
    let (mut nodes, mut alike) = (0, 0);
    for document in &documents {
        let (own, quick) = (own_tree(document), quick_tree(document));
        nodes += own.nodes.len() / NODE;
        alike += usize::from(own.nodes.len() == quick.nodes.len() && own.text == quick.text);
    }
    println!("{} documents, {nodes} nodes; both trees alike in {alike}; best of {times}", documents.len());
    println!("quick-xml, events alone    {:7.0} MB/s", speed(&documents, times, events));
    println!("quick-xml, the same tree   {:7.0} MB/s", speed(&documents, times, quick_tree));
    println!("this crate's parser        {:7.0} MB/s", speed(&documents, times, own_tree));
}
