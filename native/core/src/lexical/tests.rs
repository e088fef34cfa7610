//! The index against a count of the terms of every text, through segments, deletions and merges.

mod accents;
mod acronym;
mod any_text;
mod greek;
mod japanese;
mod question;
mod required;
mod translations;
mod trouble;

use super::analysis::{Analyser, Language};
use super::concept::{Alternative, Concept};
use super::index::Phrase;
use super::places::Sought;
use super::question::{InOtherLanguages, Questions};
use super::score::{scores, Shares};
use super::terms::{self, Group, Terms};
use super::write::Texts;
use super::Part;
use crate::bitmap::Bitmap;
use crate::filter::{Clause, Test};
use crate::search::Snapshot;
use crate::segment::{merge, NewDocument, Segment, SegmentBuilder};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

type Document = Vec<(Part, &'static str)>;

const TEXTS: &[&str] = &[
    "lithium-ion battery",
    "PM2.5 sensor",
    "5G base station",
    "激光雷达系统",
    "激光器",
    "메트포르민의 제조",
    "the battery of the sensor",
    "リチウム電池",
    "Fe3O4 particles",
    "battery charging",
    "Samsung",
    "sensor sensor sensor",
    // Phrases that hold a term several times.
    "Gly-Ala-Gly-Ala-Gly",
    "Gly-Ala-Gly, Ala-Gly-Ala-Gly",
    "라라라라",
];

fn documents() -> impl Strategy<Value = Vec<Document>> {
    let text = prop::sample::select(TEXTS);
    let part = prop::sample::select(Part::ALL.as_slice());
    prop::collection::vec(prop::collection::vec((part, text), 0..5), 1..7)
}

/// A segment of one document without words.
fn write_wordless(path: &Path, id: u32) -> Segment {
    let mut builder = SegmentBuilder::create(path, 1, vec![]).unwrap();
    let new = NewDocument {
        id,
        patent_id: "x",
        application: "",
        grant: false,
        vectors: &[0.5],
        bags: None,
        texts: None,
    };
    builder.push(&new, &[]).unwrap();
    builder.finish().unwrap();
    Segment::open(path).unwrap()
}

fn write(path: &Path, first: u32, documents: &[Document]) -> Segment {
    let mut builder = SegmentBuilder::create(path, 1, vec![]).unwrap();
    for (n, document) in documents.iter().enumerate() {
        let texts: Vec<_> = document.iter().map(|&(part, text)| (part, Language::English, text)).collect();
        let new = NewDocument {
            id: first + n as u32,
            patent_id: "x",
            application: "",
            grant: false,
            vectors: &[0.5],
            bags: None,
            texts: Some(Texts { texts: &texts }),
        };
        builder.push(&new, &[]).unwrap();
    }
    builder.finish().unwrap();
    Segment::open(path).unwrap()
}

/// How often a phrase occurs in a part of a document, by reading it.
fn count(document: &Document, part: Part, phrase: &Phrase) -> u32 {
    let mut analyser = Analyser::default();
    let texts = document.iter().filter(|(own, _)| *own == part);
    texts
        .map(|(_, text)| {
            let mut terms = Vec::new();
            analyser.terms(text, Language::English, |term| terms.push((term.position, term.text.to_owned())));
            let starts = terms.iter().filter(|(position, text)| {
                *text == phrase.terms[0].1
                    && phrase.terms.iter().all(|(far, term)| terms.contains(&(position + far, term.clone())))
            });
            starts.count() as u32
        })
        .sum()
}

fn holds(document: &Document, concept: &Concept) -> bool {
    holds_itself(document, concept)
        || concept.translations.iter().any(|translation| {
            let others = [Part::Title, Part::Claims, Part::Text];
            others.iter().any(|&part| count(document, part, &translation.phrase) > 0)
        })
}

/// Whether a document holds a word itself, and not only a translation.
fn holds_itself(document: &Document, concept: &Concept) -> bool {
    concept.alternatives.iter().any(|alternative| {
        Part::ALL
            .into_iter()
            .any(|part| alternative.is_in(part) && count(document, part, &alternative.phrase) > 0)
    })
}

/// A table of translations between words of `TEXTS`.
fn table(dir: &Path) -> Terms {
    let path = dir.join("terms.bin");
    let group = |members: &[(&str, &str)]| Group {
        members: members.iter().map(|&(language, term)| (language.into(), term.into())).collect(),
        ..Group::default()
    };
    let groups = [
        group(&[("en", "lidar"), ("ko", "라이다"), ("zh", "激光雷达")]),
        group(&[("en", "lithium battery"), ("ja", "リチウム電池")]),
        group(&[("en", "battery"), ("ko", "메트포르민"), ("ja", "電池"), ("zh", "激光")]),
        group(&[("en", "sensor"), ("zh", "激光器"), ("fr", "particules"), ("de", "Sensor")]),
        group(&[("en", "vitamin E"), ("zh", "电池")]),
    ];
    assert_eq!(terms::write(&path, &groups).unwrap(), (14, 5));
    Terms::open(&path).unwrap()
}

fn translated(terms: &Terms, question: &str) -> Vec<Concept> {
    let mut questions = Questions::default();
    let mut concepts = questions.concepts(Some(terms), question);
    questions.translate(terms, question, &mut concepts);
    concepts
}

/// A table of groups, given as `language=term`.
fn table_of(dir: &Path, groups: &[&[(&str, &str)]]) -> Terms {
    let path = dir.join("terms.bin");
    let member = |&(language, term): &(&str, &str)| (language.to_owned(), term.to_owned());
    let group = |members: &&[(&str, &str)]| Group {
        members: members.iter().map(member).collect(),
        ..Group::default()
    };
    terms::write(&path, &groups.iter().map(group).collect::<Vec<_>>()).unwrap();
    Terms::open(&path).unwrap()
}

fn snapshot_of(segments: Vec<(Segment, Bitmap)>) -> Snapshot {
    Snapshot {
        segments: segments.into_iter().map(|(segment, deleted)| (Arc::new(segment), deleted)).collect(),
    }
}

fn selected(snapshot: &Snapshot, test: Test) -> Vec<Bitmap> {
    let clause = Clause { column: "words".into(), or: Vec::new(), test };
    snapshot.select(&[clause]).unwrap().into_iter().map(|selected| selected.docs).collect()
}

fn none(segment: &Segment) -> Bitmap {
    Bitmap::empty(segment.docs())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn occurrences_and_words_are_those_of_the_texts(
        parts in prop::collection::vec(documents(), 1..4),
        gone in prop::collection::vec(any::<bool>(), 24),
        question in prop::sample::select(TEXTS),
        translate in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let terms = table(dir.path());
        let mut segments = Vec::new();
        let mut kept = Vec::new();
        for (n, documents) in parts.iter().enumerate() {
            let segment = write(&dir.path().join(n.to_string()), 100 * n as u32, documents);
            let mut deleted = none(&segment);
            for (ordinal, document) in documents.iter().enumerate() {
                match gone[7 * n + ordinal] {
                    true => deleted.insert(ordinal),
                    false => kept.push(document.clone()),
                }
            }
            segments.push((segment, deleted));
        }
        let concepts = match translate {
            true => translated(&terms, question),
            false => Questions::default().concepts(None, question),
        };
        let all: Vec<(usize, usize, &Document)> = parts
            .iter()
            .enumerate()
            .flat_map(|(n, documents)| documents.iter().enumerate().map(move |(o, document)| (n, o, document)))
            .collect();
        for &(n, ordinal, document) in &all {
            let lexical = segments[n].0.lexical().unwrap().unwrap();
            for phrase in concepts.iter().flat_map(|concept| &concept.alternatives).map(|a| &a.phrase) {
                for part in Part::ALL {
                    let mut found = 0;
                    if let Some(located) = lexical.locate(part, phrase).unwrap() {
                        let mut add = |doc, count| found += count * (doc as usize == ordinal) as u32;
                        lexical.occurrences(&located, &mut add).unwrap();
                    }
                    prop_assert_eq!(found, count(document, part, phrase), "{:?} {:?}", phrase, document);
                }
            }
        }
        let inputs: Vec<_> = segments.iter().map(|(segment, deleted)| (segment, deleted)).collect();
        let path = dir.path().join("merged");
        merge(&inputs, &path).unwrap();
        let merged = Segment::open(&path).unwrap();
        prop_assert!(merged.file().damaged_blocks().is_empty());
        prop_assert_eq!(merged.docs(), kept.len());
        let snapshot = snapshot_of(segments);
        for concept in &concepts {
            let held = selected(&snapshot, Test::Holds(vec![concept.clone()]));
            let lacking = selected(&snapshot, Test::Lacks(vec![concept.clone()]));
            for &(n, ordinal, document) in &all {
                let alive = !snapshot.segments[n].1.contains(ordinal);
                prop_assert_eq!(held[n].contains(ordinal), alive && holds(document, concept), "{:?} {:?}", concept, document);
                prop_assert_eq!(lacking[n].contains(ordinal), alive && !holds(document, concept));
            }
        }
        let before = scores(&snapshot, &concepts, SHARES).unwrap();
        if !kept.is_empty() {
            let deleted = none(&merged);
            let snapshot = snapshot_of(vec![(merged, deleted)]);
            for concept in &concepts {
                let held = selected(&snapshot, Test::Holds(vec![concept.clone()]));
                for (ordinal, document) in kept.iter().enumerate() {
                    prop_assert_eq!(held[0].contains(ordinal), holds(document, concept));
                }
            }
            let scored = scores(&snapshot, &concepts, SHARES).unwrap();
            for used in &scored.used {
                let concept = &concepts[used.concept];
                let [own, all] = [holds_itself, holds].map(|of| kept.iter().filter(|document| of(document, concept)).count());
                prop_assert_eq!((used.documents, used.holding), (if own > 0 { own } else { all }, all));
            }
            // A merge changes no score.
            let alive = all.iter().filter(|(n, ordinal, _)| !gone[7 * n + ordinal]);
            let same: Vec<f32> = alive.map(|&(n, ordinal, _)| before.segments[n].values()[ordinal]).collect();
            prop_assert_eq!(&same[..], scored.segments[0].values());
            for (ordinal, document) in kept.iter().enumerate() {
                let score = scored.segments[0].values()[ordinal];
                prop_assert!((0.0..=1.0).contains(&score));
                let used = scored.used.iter().any(|used| holds(document, &concepts[used.concept]));
                prop_assert_eq!(score > 0.0, used);
            }
        }
    }
}

const SHARES: Shares = Shares { word: 0.8, long: 0.9 };

/// BM25F of one document in a collection of whole documents, by its formula.
fn expected(collection: &[Document], document: &Document, question: &str, concepts: &[Concept]) -> f64 {
    let fit =
        [(Part::Names, 2.0, 0.3), (Part::Title, 3.0, 0.5), (Part::Claims, 1.5, 0.6), (Part::Text, 1.0, 0.7)];
    let length = |document: &Document, part: Part| {
        let mut analyser = Analyser::default();
        let mut terms = 0;
        for (_, text) in document.iter().filter(|(own, _)| *own == part) {
            analyser.terms(text, Language::English, |_| terms += 1);
        }
        terms as f64
    };
    let all = collection.len() as f64;
    let (mut sum, mut greatest) = (0.0, 0.0);
    for concept in concepts {
        let itself = collection.iter().filter(|document| holds_itself(document, concept)).count() as f64;
        let any = collection.iter().filter(|document| holds(document, concept)).count() as f64;
        if any == 0.0 {
            continue;
        }
        let n = if itself > 0.0 { itself } else { any };
        let idf = (1.0 + (all - n + 0.5) / (n + 0.5)).ln() * concept.boost as f64;
        greatest += idf * 4.2;
        let frequency = |document: &Document, part, weight: f64, b: f64, phrase: &Phrase| {
            let average = (collection.iter().map(|d| length(d, part)).sum::<f64>() / all).max(1.0);
            let norm = 1.0 - b + b * length(document, part) / average;
            weight * count(document, part, phrase) as f64 / norm
        };
        // For the word itself and each translation: the share of its weight, and the tf of a document.
        let own = |document: &Document| {
            let alternatives = concept.alternatives.iter();
            let tf = |alternative: &Alternative| {
                let parts = fit.iter().filter(|(part, ..)| alternative.is_in(*part));
                parts.map(|&(part, w, b)| frequency(document, part, w, b, &alternative.phrase)).sum::<f64>()
            };
            alternatives.map(tf).sum::<f64>()
        };
        let ways = |document: &Document| {
            let mut ways = vec![(1.0, own(document))];
            for translation in &concept.translations {
                let term = &question[translation.from as usize..translation.to as usize];
                let is_long = term.contains(' ') || !term.is_ascii() && term.chars().count() > 3;
                let share = if is_long { SHARES.long } else { SHARES.word };
                let parts = fit[1..].iter();
                let tf = parts.map(|&(part, w, b)| frequency(document, part, w, b, &translation.phrase));
                ways.push((share as f64, tf.sum()));
            }
            ways
        };
        let mut tfs: Vec<f64> = collection.iter().flat_map(ways).map(|(share, tf)| share * tf).collect();
        tfs.sort_by(|a, b| b.total_cmp(a));
        let fading = 0.2 * tfs.get(9).unwrap_or(&0.0);
        let given = |share: f64, tf: f64| match tf > 0.0 {
            // The word itself, in ten documents at most.
            true if share == 1.0 && itself <= 10.0 => {
                (2.2 * tf / (tf + 1.2) + 1.0 + tf / (tf + fading)).max(0.7 * 4.2)
            }
            true => 2.2 * tf / (tf + 1.2) + 1.0 + tf / (tf + fading),
            false => 0.0,
        };
        sum +=
            idf * ways(document).into_iter().map(|(share, tf)| share * given(share, tf)).fold(0.0, f64::max);
    }
    sum / greatest
}

#[test]
fn scores_are_those_of_the_formula() {
    let few: Vec<Document> = vec![
        vec![(Part::Title, "lithium-ion battery"), (Part::Text, "the battery of the sensor")],
        vec![(Part::Title, "PM2.5 sensor"), (Part::Names, "Samsung")],
        vec![(Part::Claims, "sensor sensor sensor"), (Part::Text, "PM2.5 sensor")],
        vec![(Part::Text, "激光雷达系统")],
    ];
    scores_are_as_expected(&few);
    // More than ten that hold a word: some in the title, some in passing.
    let prominent = vec![(Part::Title, "PM2.5 sensor"), (Part::Text, "lidar")];
    let passing = [vec![(Part::Text, "battery charging"); 15], vec![(Part::Text, "sensor sensor sensor")]];
    let many = [few, vec![prominent; 9], vec![passing.concat(); 5]].concat();
    scores_are_as_expected(&many);
}

fn scores_are_as_expected(collection: &[Document]) {
    let dir = tempfile::tempdir().unwrap();
    let segments = [(0, &collection[..2]), (99, &collection[2..])].map(|(first, documents)| {
        let segment = write(&dir.path().join(first.to_string()), first, documents);
        let deleted = none(&segment);
        (segment, deleted)
    });
    let snapshot = snapshot_of(segments.into());
    let terms = table(dir.path());
    for question in
        ["PM2.5 sensor", "Samsung battery", "激光雷达", "lithium battery of Samsung", "라이다", "lidar"]
    {
        let concepts = translated(&terms, question);
        let scored = scores(&snapshot, &concepts, SHARES).unwrap();
        for (n, document) in collection.iter().enumerate() {
            let (found, wanted) = (
                scored.segments[(n > 1) as usize].values()[if n > 1 { n - 2 } else { n }],
                expected(collection, document, question, &concepts),
            );
            assert!((found as f64 - wanted).abs() < 1e-4, "{question}: {found}, expected {wanted}");
        }
    }
}
