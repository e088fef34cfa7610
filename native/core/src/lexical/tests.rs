//! The index against a count of the terms of every text, through segments, deletions and merges.

mod accents;
mod acronym;
mod any_text;
mod greek;
mod question;
mod required;

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
    let mut concepts = questions.concepts(question);
    questions.translate(terms, question, &mut concepts);
    concepts
}

#[test]
fn known_words_of_a_compound_are_words_of_a_short_question() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let boosts = |question: &str| -> HashMap<String, f32> {
        let concepts = translated(&terms, question);
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        concepts.iter().map(|concept| (text(concept), concept.boost)).collect()
    };
    let found = boosts("激光雷达装置");
    let expected = [("激光雷达", 1.0), ("激光雷达装置", 1.0), ("雷达", 0.5), ("达装", 0.15), ("装置", 0.5)];
    for (word, boost) in expected {
        assert!((found[word] - boost).abs() < 1e-6, "{word}: {found:?}");
    }
    let found = boosts("라이다센서모듈");
    assert_eq!((found["라이다"], found["라이"]), (1.0, 0.5));
    let translations = translated(&terms, "라이다센서모듈");
    let lidar = translations.iter().find(|concept| concept.to as usize == "라이다".len()).unwrap();
    assert!(!lidar.translations.is_empty());
    let long = format!("激光雷达装置 {}", "a device with a sensor ".repeat(3));
    assert!(!boosts(&long).contains_key("激光雷达"));
}

#[test]
fn locants_are_of_their_compound() {
    let words = |question: &str| -> Vec<(String, f32, Vec<String>)> {
        let text = |concept: &Concept| question[concept.from as usize..concept.to as usize].to_owned();
        let shown = |phrase: &Phrase| {
            phrase.terms.iter().map(|(far, term)| format!("{far}{term}")).collect::<Vec<_>>().join(" ")
        };
        let all = |concept: &Concept| concept.alternatives.iter().map(|one| shown(&one.phrase)).collect();
        let concepts = Questions::default().concepts(question);
        concepts.iter().map(|concept| (text(concept), concept.boost, all(concept))).collect()
    };
    let found = words("1,4-dioxane");
    let whole = found.iter().find(|(text, ..)| text == "1,4-dioxane").unwrap();
    assert_eq!((whole.1, &whole.2[1]), (1.0, &"01 24 3dioxane".to_owned()), "{found:?}");
    assert!(found.iter().any(|(text, boost, _)| text == "4-dioxane" && *boost == 0.5), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(words("2,4,6-trinitrotoluene in water").iter().any(|(text, ..)| text == "2,4,6-trinitrotoluene"));
    for other in ["1, 4-dioxane", "1,000", "5,4-6"] {
        assert!(words(other).iter().all(|(text, ..)| !text.contains(',')), "{other}");
    }
}

#[test]
fn a_particle_within_a_term_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("terms.bin");
    let members = [("en", "lane change"), ("ko", "차선 변경"), ("zh", "变道")]
        .map(|(language, term)| (language.into(), term.into()));
    terms::write(&path, &[Group { members: members.into(), ..Group::default() }]).unwrap();
    let terms = Terms::open(&path).unwrap();
    let found = |question: &str| -> Vec<String> {
        let concepts = translated(&terms, question);
        let all = concepts.iter().flat_map(|concept| &concept.translations);
        let mut all: Vec<_> =
            all.map(|one| question[one.from as usize..one.to as usize].to_owned()).collect();
        all.dedup();
        all
    };
    assert_eq!(found("차량이 차선을 변경하는 방법"), ["차선을 변경"]);
    assert_eq!(found("차선의 변경을 돕는 장치"), ["차선의 변경을"]);
    assert_eq!(found("차선 변경 방법"), ["차선 변경"]);
    // One syllable is no word with a particle, and a particle ends a word.
    assert!(found("선을 변경").is_empty() && found("차선을변경").is_empty());
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

#[test]
fn a_term_over_a_space_takes_no_single_syllable_of_a_longer_word() {
    let dir = tempfile::tempdir().unwrap();
    let terms =
        table_of(dir.path(), &[&[("ko", "냉각수"), ("zh", "冷却水")], &[("ko", "전력망"), ("zh", "电网")]]);
    let translates =
        |question: &str| translated(&terms, question).iter().any(|concept| !concept.translations.is_empty());
    for question in ["냉각수", "냉각 수", "냉각 수를 쓰는", "냉각 수에는", "전력 망", "전 력망"]
    {
        assert!(translates(question), "{question}");
    }
    for question in ["냉각 수단", "냉각 수단을", "완전 력망"] {
        assert!(!translates(question), "{question}");
    }
}

#[test]
fn a_translation_of_a_term_and_of_a_word_in_it_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let groups: [&[(&str, &str)]; 2] =
        [&[("en", "ratio"), ("ko", "비율"), ("zh", "比率")], &[("en", "aspect ratio"), ("ko", "비율")]];
    let terms = table_of(dir.path(), &groups);
    let concepts = translated(&terms, "aspect ratio");
    let of_ratio = &concepts.iter().rfind(|concept| !concept.is_extra).unwrap().translations;
    let long: Vec<bool> = of_ratio.iter().map(|translation| translation.is_long).collect();
    assert_eq!(long.len(), 2, "{of_ratio:?}");
    assert!(long.contains(&true) && long.contains(&false), "{of_ratio:?}");
}

#[test]
fn a_question_in_other_languages_has_the_longest_terms() {
    let dir = tempfile::tempdir().unwrap();
    let groups: [&[(&str, &str)]; 5] = [
        &[("en", "elevator door"), ("ko", "엘리베이터 도어"), ("zh", "电梯门")],
        &[("en", "door"), ("ko", "문짝"), ("ja", "ドア"), ("zh", "门体"), ("de", "Tür")],
        &[("en", "noise"), ("zh", "噪声")],
        &[("en", "the"), ("ja", "ティー")],
        &[("en", "relay"), ("ko?", "릴레이"), ("zh", "继电器")],
    ];
    let terms = table_of(dir.path(), &groups);
    let found = |question: &str| Questions::default().in_other_languages(&terms, question, 2);
    let of = |terms: usize, texts: &[&str]| InOtherLanguages {
        terms,
        texts: texts.iter().map(|&text| text.into()).collect(),
    };
    assert_eq!(found("the elevator doors without noise"), of(2, &["엘리베이터 도어", "电梯门 噪声"]));
    assert_eq!(found("door"), of(1, &["문짝", "ドア", "门体"]));
    assert_eq!(found("电梯门的噪声"), of(2, &["엘리베이터 도어"]));
    assert_eq!(found("window"), of(0, &[]));
    // A term that is only looked up.
    assert_eq!(found("relay"), of(1, &["继电器"]));
    assert_eq!(found("릴레이"), of(1, &["继电器"]));
    assert_eq!(found("the doors, noise of elevator doors, noise"), of(4, &[]));
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
            false => Questions::default().concepts(question),
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

#[test]
fn damage_is_an_error_and_a_segment_without_an_index_is_counted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x");
    let documents: Vec<Document> = (0..400).map(|n| vec![(Part::Text, TEXTS[n % TEXTS.len()])]).collect();
    drop(write(&path, 0, &documents));
    let concepts = Questions::default().concepts("battery");
    let file = crate::file::Container::open(&path).unwrap();
    let range = file.range_of("lexical").unwrap();
    drop(file);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[range.start + range.len() / 2] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let segment = Segment::open(&path).unwrap();
    let deleted = none(&segment);
    let error = scores(&snapshot_of(vec![(segment, deleted)]), &concepts, SHARES).err().unwrap();
    assert_eq!(error.code(), "data_corrupt", "{error}");

    let segment = write_wordless(&path, 1);
    assert!(!segment.has_lexical().unwrap());
    let deleted = none(&segment);
    let scored = scores(&snapshot_of(vec![(segment, deleted)]), &concepts, SHARES).unwrap();
    assert_eq!((scored.without, scored.used.len()), (1, 0));
}

#[test]
fn documents_that_are_gone_need_no_words_in_a_merge() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let words = write(&path("words"), 2, &[vec![(Part::Text, "sensor")]]);
    let wordless = [write_wordless(&path("before"), 1), write_wordless(&path("behind"), 3)];
    SegmentBuilder::create(&path("empty"), 1, vec![]).unwrap().finish().unwrap();
    let empty = Segment::open(&path("empty")).unwrap();
    let gone = Bitmap::full(1);
    let (alive, without) = (none(&words), none(&empty));
    let merged = |inputs: &[(&Segment, &Bitmap)]| {
        merge(inputs, &path("merged")).unwrap();
        Segment::open(&path("merged")).unwrap()
    };
    let [before, behind] = &wordless;
    let kept = merged(&[(&empty, &without), (before, &gone), (&words, &alive), (behind, &gone)]);
    assert_eq!(kept.docs(), 1);
    let lexical = kept.lexical().unwrap().expect("the words are merged");
    assert!(lexical.locate(Part::Text, &Phrase::word("sensor")).unwrap().is_some());
    // A document without words hides those of the others as long as it lives.
    assert!(!merged(&[(before, &alive), (&words, &alive)]).has_lexical().unwrap());
    assert!(!merged(&[(before, &gone), (&words, &gone)]).has_lexical().unwrap());
}

#[test]
fn a_full_disk_is_no_damage() {
    use std::io::{Error, ErrorKind};
    use tantivy::directory::error::OpenWriteError;
    let path = Path::new("x");
    let full = || Error::new(ErrorKind::StorageFull, "no room");
    let opening = OpenWriteError::wrap_io_error(full(), path.into());
    for error in [opening.into(), full().into()] {
        assert_eq!(super::failed(path)(error).code(), "disk_full");
    }
    let damaged = Error::new(ErrorKind::InvalidData, "wrong checksum").into();
    assert_eq!(super::failed(path)(damaged).code(), "data_corrupt");
}

#[test]
fn a_term_meets_its_translations() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let shown = |question: &str| {
        let concepts = translated(&terms, question);
        let all = concepts.iter().flat_map(|concept| &concept.translations);
        let text = |(from, to): (u32, u32)| question[from as usize..to as usize].to_owned();
        let mut all: Vec<(String, Vec<String>)> = all
            .map(|one| {
                (text((one.from, one.to)), one.phrase.terms.iter().map(|term| term.1.clone()).collect())
            })
            .collect();
        all.sort();
        all.dedup();
        all
    };
    let pairs = |text: &str, terms: &[&str]| {
        (text.to_owned(), terms.iter().map(|&term| term.to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(
        shown("라이다의 신호"),
        [pairs("라이다", &["lidar"]), pairs("라이다", &["激光", "光雷", "雷达"])]
    );
    assert_eq!(
        shown("LiDARs"),
        [pairs("LiDARs", &["激光", "光雷", "雷达"]), pairs("LiDARs", &["라이", "이다"])]
    );
    // The longest term, and the words within it.
    let lithium = shown("lithium-batteries");
    assert!(lithium.contains(&pairs("lithium-batteries", &["リチ", "チウ", "ウム", "电池"])), "{lithium:?}");
    assert!(lithium.contains(&pairs("batteries", &["电池"])), "{lithium:?}");
    assert!(translated(&terms, "lithium-batteries")[0].translations[0].is_long);
    // A letter is a word of a term, or none of it.
    assert!(shown("vitamins e").contains(&pairs("vitamins e", &["电池"])) && shown("senso-r").is_empty());
    assert!(shown("lithium, batteries").iter().all(|(text, _)| text == "batteries"));
    // German and French terms by their stems, of questions and of documents.
    assert_eq!(
        shown("Sensoren"),
        [
            pairs("Sensoren", &["\u{6}particul"]),
            pairs("Sensoren", &["sensor"]),
            pairs("Sensoren", &["激光", "光器"])
        ]
    );
    // The German stem of the word itself is no translation.
    assert!(!shown("sensors").contains(&pairs("sensors", &["\u{5}sensor"])));
    assert!(shown("메트포르민 PM2.5").len() == 3 && shown("PM2.5").is_empty() && shown("").is_empty());
}

#[test]
fn a_fragment_of_a_loanword_is_not_translated() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("terms.bin");
    let pair = |(en, other): (&str, (&str, &str))| {
        let members = vec![("en".into(), en.into()), (other.0.to_owned(), other.1.to_owned())];
        Group { members, ..Group::default() }
    };
    let groups = [
        ("local", ("ko", "로컬")),
        ("electrode", ("ko", "전극")),
        ("camera", ("ko", "카메라")),
        ("lead", ("ja", "リード")),
        ("frame", ("ja", "フレーム")),
    ];
    terms::write(&path, &groups.map(pair)).unwrap();
    let terms = Terms::open(&path).unwrap();
    let parts = |question: &str| {
        let mut parts: Vec<_> = translated(&terms, question)
            .iter()
            .flat_map(|concept| &concept.translations)
            .map(|one| question[one.from as usize..one.to as usize].to_owned())
            .collect();
        parts.sort();
        parts.dedup();
        parts
    };
    assert_eq!(parts("로컬 네트워크"), ["로컬"]);
    assert!(parts("브로컬리 추출물").is_empty());
    // A word of Chinese characters, and a longer loanword, stand in compounds.
    assert_eq!(parts("비접촉전극"), ["전극"]);
    assert_eq!(parts("초고속카메라"), ["카메라"]);
    assert_eq!(parts("リードフレーム"), ["フレーム", "リード"]);
    assert!(parts("ソリード").is_empty());
}

#[test]
fn a_long_vowel_at_the_end_of_a_word_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let terms =
        table_of(dir.path(), &[&[("en", "sensor"), ("ja", "センサー")], &[("en", "bar"), ("ja", "バー")]]);
    let documents: Vec<Document> = ["温度センサ", "温度センサー", "センス", "バー", "バネ"]
        .map(|text| vec![(Part::Text, text)])
        .to_vec();
    let segment = write(&dir.path().join("x"), 0, &documents);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let found = |question: &str| {
        let scored = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        scored.segments[0].values().to_vec()
    };
    for question in ["センサー", "センサ", "sensor", "ｾﾝｻｰ"] {
        let scores = found(question);
        assert!(
            scores[0] > 0.0 && (scores[0] - scores[1]).abs() < 0.05 * scores[0],
            "{question}: {scores:?}"
        );
    }
    // A word of two characters needs it.
    let scores = found("バー");
    assert!(scores[3] > 0.0 && scores[4] == 0.0, "{scores:?}");
    let phrase = Questions::default().phrase("温度センサー").unwrap();
    let held: Vec<bool> = documents.iter().map(|document| holds(document, &phrase)).collect();
    assert_eq!(held, [true, true, false, false, false]);
}

#[test]
fn okurigana_do_not_hide_a_word() {
    let dir = tempfile::tempdir().unwrap();
    let table: [&[(&str, &str)]; 2] =
        [&[("en", "soldering"), ("ja", "はんだ付け")], &[("en", "switching"), ("ja", "切り替え")]];
    let terms = table_of(dir.path(), &table);
    let texts =
        ["流路を切り替える", "切替弁", "切断と交替", "はんだ付けする", "部品を付ける", "水に溶ける", "板"];
    let documents: Vec<Document> = texts.map(|text| vec![(Part::Text, text)]).to_vec();
    let segment = write(&dir.path().join("x"), 0, &documents);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let best = |question: &str, count: usize| {
        let scored = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        let values = scored.segments[0].values();
        let mut order: Vec<usize> = (0..texts.len()).filter(|&n| values[n] > 0.0).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        order.truncate(count);
        order.sort();
        order
    };
    assert_eq!(best("切り替え", 2), [0, 1]);
    assert_eq!(best("切替え弁", 1), [1]);
    assert_eq!(best("switching", 9), [0]);
    assert_eq!(best("はんだ付け", 1), [3]);
    assert_eq!(best("soldering", 9), [3]);
    // `に` is a particle.
    let compounds = |question: &str| {
        let concepts = Questions::default().concepts(question);
        let words = concepts.iter().filter(|one| !one.is_extra);
        let words = words.map(|one| question[one.from as usize..one.to as usize].to_owned());
        words.filter(|word| word.chars().count() > 2).collect::<Vec<_>>()
    };
    assert_eq!(compounds("流路切り替え弁"), ["流路切", "切り替", "替え弁"]);
    assert_eq!(compounds("組み合わせ"), ["組み合"]);
    assert!(compounds("水に溶").is_empty());
    // A verb's form joins no compound if it has two characters of kana: 用水 is another word.
    for question in ["光を用いて水を分解", "圧力に応じて弁を閉じる"] {
        assert!(compounds(question).is_empty(), "{question}");
    }
    assert_eq!(compounds("組立て装置"), ["立て装"]);
    // Beside a particle, a character is a word.
    for (question, boost) in [
        ("鉛の除去", 1.0),
        ("膜を製造", 1.0),
        ("鉛 除去", 1.0),
        ("膜が厚", 1.0),
        ("付け", 0.3),
        ("曲がり", 0.3),
        ("冷やす", 0.3),
    ] {
        let concepts = Questions::default().concepts(question);
        let single = concepts.iter().find(|one| one.to - one.from == 3).unwrap();
        assert_eq!(single.boost, boost, "{question}");
    }
    // A known word that begins with the last character of a longer run keeps that character.
    let concepts = translated(&terms, "電源切り替え");
    let known = concepts.iter().find(|one| (one.from, one.to) == (6, 18)).unwrap();
    let phrase = [(0, "切"), (1, "り"), (2, "替")].map(|(far, term)| (far, term.to_owned()));
    assert_eq!(known.alternatives[0].phrase.terms, phrase);
    for (required, expected) in [("はんだ付け", 3), ("切替え", 1), ("切り替え", 0)] {
        let phrase = Questions::default().phrase(required).unwrap();
        let held: Vec<usize> = (0..texts.len()).filter(|&n| holds(&documents[n], &phrase)).collect();
        assert_eq!(held, [expected], "{required}");
    }
}

/// The particle 이나 is also two, 이 and 나. Trying each way would take longer than the test may.
#[test]
fn many_particles_take_no_time() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of(dir.path(), &[&[("en", "coolant"), ("ko", "냉각수")]]);
    for end in ["", "힣"] {
        let question = format!("냉각 수{}{end}", "이나".repeat(40));
        let has_coolant =
            translated(&terms, &question).iter().any(|concept| !concept.translations.is_empty());
        assert_eq!(has_coolant, end.is_empty());
    }
}

#[test]
fn a_document_in_two_languages_gets_nothing_twice() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table(dir.path());
    let both: Vec<Document> = vec![
        vec![(Part::Text, "battery charging")],
        vec![(Part::Text, "リチウム電池")],
        vec![(Part::Text, "battery charging"), (Part::Claims, "リチウム電池")],
        vec![(Part::Text, "Samsung")],
    ];
    let segment = write(&dir.path().join("x"), 0, &both);
    let deleted = none(&segment);
    let snapshot = snapshot_of(vec![(segment, deleted)]);
    let scored = scores(&snapshot, &translated(&terms, "battery"), SHARES).unwrap();
    assert_eq!((scored.used[0].documents, scored.used[0].holding), (2, 3));
    let found = scored.segments[0].values();
    assert!(found[1] > 0.0 && found[1] < found[0] && found[3] == 0.0, "{found:?}");
    let unlike = scores(&snapshot, &Questions::default().concepts("battery"), SHARES).unwrap();
    let plain = unlike.segments[0].values();
    assert_eq!((found[0], found[2]), (plain[0], plain[2]));
}

proptest! {
    /// Words that the table does not know are scored as if there were no table.
    #[test]
    fn a_table_without_a_word_changes_nothing(
        documents in documents(),
        question in prop::sample::select(&["PM2.5", "Samsung 5G", "Fe3O4", "base station"][..]),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let terms = table(dir.path());
        let segment = write(&dir.path().join("x"), 0, &documents);
        let deleted = none(&segment);
        let snapshot = snapshot_of(vec![(segment, deleted)]);
        let with = scores(&snapshot, &translated(&terms, question), SHARES).unwrap();
        let without = scores(&snapshot, &Questions::default().concepts(question), SHARES).unwrap();
        for (with, without) in with.segments.iter().zip(&without.segments) {
            prop_assert_eq!(with.values(), without.values());
        }
    }
}
