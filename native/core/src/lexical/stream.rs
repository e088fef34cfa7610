//! The terms of documents and questions as text, for an inverted index elsewhere, such as that of a cluster.
//!
//! Positions are parted by spaces, terms of one position by `SAME`. A position without a term is
//! `NONE`. No term holds one of these characters. An index that splits such a text at its spaces, and the words at
//! `SAME`, and leaves `NONE` out, has the terms and positions of the index of a segment.

use super::analysis::{Analyser, Language};
use super::index::{length_of, Phrase};
use super::{Part, BETWEEN_TEXTS};
use tantivy::fieldnorm::FieldNormReader;

/// Between terms of one position.
pub const SAME: char = '\u{3}';
/// A position without a term.
pub const NONE: char = '\u{4}';

/// The terms of one part of a document.
#[derive(Default)]
pub struct PartStream {
    pub terms: String,
    /// The length by which scores divide: the number of terms, as coarse as an index of tantivy keeps it.
    pub length: u32,
}

/// The terms of a document's texts, by part.
pub fn streams(analyser: &mut Analyser, texts: &[(Part, Language, &str)]) -> [PartStream; Part::ALL.len()] {
    let mut streams = Part::ALL.map(|_| (Stream::default(), 0u32, 0u32));
    for (part, language, text) in texts {
        let (stream, from, count) = &mut streams[*part as usize];
        let positions = analyser.terms(text, *language, |term| {
            stream.push(*from + term.position, term.text);
            *count += 1;
        });
        *from += positions + BETWEEN_TEXTS;
    }
    streams.map(|(stream, _, count)| PartStream {
        terms: stream.text,
        length: length_of(FieldNormReader::fieldnorm_to_id(count)),
    })
}

/// The terms of a phrase.
pub fn phrase(phrase: &Phrase) -> String {
    let mut stream = Stream::default();
    phrase.terms.iter().for_each(|(distance, term)| stream.push(*distance, term));
    stream.text
}

#[derive(Default)]
struct Stream {
    text: String,
    /// Number of positions in the text.
    positions: u32,
}

impl Stream {
    /// Adds a term. Positions ascend.
    fn push(&mut self, position: u32, term: &str) {
        if position < self.positions {
            self.text.push(SAME);
        }
        while self.positions <= position {
            if self.positions > 0 {
                self.text.push(' ');
            }
            if self.positions < position {
                self.text.push(NONE);
            }
            self.positions += 1;
        }
        self.text.push_str(term);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_kept() {
        let mut analyser = Analyser::default();
        let texts = [
            (Part::Text, Language::English, "Charging PM2.5 cells. Two"),
            (Part::Title, Language::Other, "膜"),
            (Part::Text, Language::English, "more"),
        ];
        let [names, title, claims, text] = streams(&mut analyser, &texts);
        assert_eq!(
            text.terms,
            format!(
                "charg pm2.5\u{3}\u{1}pm\u{3}\u{1}2.5 cell\u{3}\u{2}cells \u{4} two {}more",
                "\u{4} ".repeat(8)
            )
        );
        assert_eq!((text.length, title.terms.as_str(), title.length), (8, "膜", 1));
        assert_eq!((names.terms.as_str(), names.length, claims.length), ("", 0, 0));
    }

    #[test]
    fn phrases_keep_their_distances() {
        let terms = vec![(0, "a".to_owned()), (2, "b".to_owned()), (2, "c".to_owned())];
        assert_eq!(phrase(&Phrase { terms }), "a \u{4} b\u{3}c");
    }

    proptest::proptest! {
        #[test]
        fn a_text_has_the_terms_of_the_analysis(text in "\\PC{0,80}|[ｱ-ﾟa-c.0-9一-龯가-힣 -]{0,40}") {
            let mut analyser = Analyser::default();
            let mut expected = Vec::new();
            analyser.terms(&text, Language::English, |term| expected.push((term.text.to_owned(), term.position)));
            let [.., stream] = streams(&mut analyser, &[(Part::Text, Language::English, &text)]);
            let mut found = Vec::new();
            for (position, terms) in (0..).zip(stream.terms.split(' ').filter(|terms| !terms.is_empty())) {
                let terms = terms.split(SAME).filter(|term| *term != NONE.to_string());
                found.extend(terms.map(|term| (term.to_owned(), position)));
            }
            proptest::prop_assert_eq!(found, expected);
        }
    }
}
