//! Groups of publications that are one result: those of an application, or of a family.

use super::{Hit, Request, Selected, Snapshot};
use crate::segment::Segment;
use crate::{vectors, Result};

/// The selected documents of the group of a document, itself included: number of the segment and
/// ordinal.
///
/// # Errors
/// If a segment lacks the columns of families and applications, or they are damaged.
pub fn members(
    snapshot: &Snapshot,
    selected: &[Selected],
    (segment, ordinal): (usize, usize),
    by_family: bool,
) -> Result<Vec<(usize, usize)>> {
    let own = &snapshot.segments[segment].0;
    let key = keys_of(own, by_family)?[ordinal];
    let columns: &[&str] = if by_family { &["family", "application"] } else { &["application"] };
    let mut found = vec![(segment, ordinal)];
    if key == 0 {
        return Ok(found);
    }
    // The first column with a term of the document is the one that its key is made of.
    for column in columns {
        let terms = own.keywords(column)?;
        let Some(&term) = terms.of_doc(ordinal).first() else { continue };
        let text = terms.term(term);
        for (n, (other, _)) in snapshot.segments.iter().enumerate() {
            let column = other.keywords(column)?;
            let Some(term) = column.exact(text) else { continue };
            let others = keys_of(other, by_family)?;
            let is_member = |&doc: &usize| {
                others.get(doc) == Some(&key)
                    && selected[n].docs.contains(doc)
                    && (n, doc) != (segment, ordinal)
            };
            found.extend(
                column.docs_of(term).iter().map(|&doc| doc as usize).filter(is_member).map(|doc| (n, doc)),
            );
        }
        break;
    }
    found.sort_unstable();
    Ok(found)
}

pub(super) fn keys_of(segment: &Segment, by_family: bool) -> Result<&[u64]> {
    match by_family {
        true => segment.family(),
        false => Ok(segment.application()),
    }
}

/// The member of a document's group that is of the first of some countries, the best of several;
/// `None` if it is the document itself, or no member is of these countries.
///
/// # Errors
/// Those of `members`, and if a vector is damaged.
pub fn preferred(
    snapshot: &Snapshot,
    selected: &[Selected],
    request: &Request,
    countries: &[String],
    own: (usize, usize),
) -> Result<Option<Hit>> {
    let place = |(segment, ordinal): (usize, usize)| -> Result<usize> {
        let column = snapshot.segments[segment].0.keywords("country")?;
        let country = column.of_doc(ordinal).first().map(|&term| column.term(term));
        let at = countries.iter().position(|preferred| Some(preferred.as_str()) == country);
        Ok(at.unwrap_or(countries.len()))
    };
    let mut first = place(own)?;
    let mut best: Option<Hit> = None;
    for member in members(snapshot, selected, own, request.by_family)? {
        let at = place(member)?;
        // The document itself is the best of its country.
        if at > first || at == countries.len() || at == first && best.is_none() {
            continue;
        }
        let other = scored(snapshot, request, member.0, member.1)?;
        if at < first || best.is_none_or(|best| other > best) {
            (first, best) = (at, Some(other));
        }
    }
    Ok(best)
}

/// A document as a hit, by the exact scores of all its passages.
pub(super) fn scored(snapshot: &Snapshot, request: &Request, n: usize, ordinal: usize) -> Result<Hit> {
    let segment = &snapshot.segments[n].0;
    let rows = segment.rows_of(ordinal);
    segment.verify_rows(rows.clone())?;
    let (mut score, mut passage) = (f32::NEG_INFINITY, 0);
    for (number, row) in (0..).zip(segment.rows(rows).chunks_exact(segment.dimensions())) {
        let found = vectors::dot(request.query, row);
        if found > score {
            (score, passage) = (found, number);
        }
    }
    let facts = segment.facts();
    Ok(Hit::of(&facts, n, ordinal, score, passage, request))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bitmap::Bitmap;
    use crate::filter::{Clause, Test};
    use crate::search::{sample, search, Scan};
    use crate::segment::{ColumnKind, ColumnSpec, NewDocument, SegmentBuilder, Value};
    use proptest::prelude::*;
    use std::collections::HashMap;
    use std::sync::Arc;

    #[derive(Clone, Debug)]
    struct Doc {
        country: &'static str,
        /// 0: unknown.
        family: u8,
        application: u8,
        score: i8,
    }

    fn docs() -> impl Strategy<Value = Vec<Doc>> {
        let country = prop::sample::select(vec!["US", "KR", "JP", "EP"]);
        let doc = (country, 0u8..6, 0u8..6, -5i8..5).prop_map(|(country, family, application, score)| Doc {
            country,
            family,
            application,
            score,
        });
        prop::collection::vec(doc, 1..60)
    }

    /// The text of a number; none for 0.
    fn text(number: u8) -> String {
        if number == 0 {
            String::new()
        } else {
            number.to_string()
        }
    }

    fn snapshot(dir: &std::path::Path, docs: &[Doc], cut: usize) -> Snapshot {
        let specs = ["country", "family", "application"]
            .map(|name| ColumnSpec { name: name.into(), kind: ColumnKind::Keyword });
        let (a, b) = docs.split_at(cut % docs.len());
        let open = |(first, part): (usize, &[Doc])| {
            let path = dir.join(first.to_string());
            let mut builder = SegmentBuilder::create(&path, 1, specs.to_vec()).unwrap();
            for (n, doc) in part.iter().enumerate() {
                let (family, number) = (text(doc.family), text(doc.application));
                let new = NewDocument {
                    id: (first + n) as u32,
                    patent_id: &format!("P{}", first + n),
                    application: &if number.is_empty() {
                        String::new()
                    } else {
                        format!("{}:{number}", doc.country)
                    },
                    grant: false,
                    vectors: &[doc.score as f32],
                    bags: None,
                    texts: None,
                };
                let keyword = |term: &'static str| vec![(term, term)];
                let given = |text: &String| if text.is_empty() { vec![] } else { vec![text.clone()] };
                let (families, numbers) = (given(&family), given(&number));
                let pairs =
                    |terms: &[String]| terms.iter().map(|t| (t.clone(), t.clone())).collect::<Vec<_>>();
                let (families, numbers) = (pairs(&families), pairs(&numbers));
                fn terms(owned: &[(String, String)]) -> Vec<(&str, &str)> {
                    owned.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect()
                }
                let values = [
                    Value::Keywords(keyword(doc.country)),
                    Value::Keywords(terms(&families)),
                    Value::Keywords(terms(&numbers)),
                ];
                builder.push(&new, &values).unwrap();
            }
            builder.finish().unwrap();
            let segment = Segment::open(&path).unwrap();
            let deleted = Bitmap::empty(segment.docs());
            (Arc::new(segment), deleted)
        };
        let parts = [(0, a), (a.len(), b)].into_iter().filter(|(_, part)| !part.is_empty());
        Snapshot { segments: parts.map(open).collect() }
    }

    fn key(id: usize, doc: &Doc, by_family: bool) -> String {
        match doc {
            Doc { family, .. } if by_family && *family > 0 => format!("family {family}"),
            Doc { application, country, .. } if *application > 0 => format!("{country} {application}"),
            _ => format!("alone {id}"),
        }
    }

    proptest! {
        #[test]
        fn groups_equal_their_definition(
            docs in docs(),
            cut in 0usize..60,
            by_family in any::<bool>(),
            countries in prop::sample::subsequence(vec!["EP", "JP", "KR"], 0..4),
            hidden in prop::option::of(prop::sample::select(vec!["US", "KR"])),
            want in 1usize..30,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let snapshot = snapshot(dir.path(), &docs, cut);
            let clause = |c: &str| Clause { column: "country".into(), or: vec![], test: Test::None(vec![c.into()]) };
            let selected = snapshot.select(&hidden.map(clause).into_iter().collect::<Vec<_>>()).unwrap();
            let allowed: Vec<usize> = (0..docs.len()).filter(|&id| hidden != Some(docs[id].country)).collect();
            let id = |(n, ordinal): (usize, usize)| snapshot.segments[n].0.doc_id()[ordinal] as usize;
            let mut sampled: Vec<usize> = sample(&snapshot, &selected, docs.len()).into_iter().map(id).collect();
            sampled.sort_unstable();
            prop_assert_eq!(&sampled, &allowed);
            prop_assert!(sample(&snapshot, &selected, 5).len() <= 5);

            let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
            for &id in &allowed {
                groups.entry(key(id, &docs[id], by_family)).or_default().push(id);
            }
            for (n, (segment, _)) in snapshot.segments.iter().enumerate() {
                for ordinal in selected[n].docs.iter() {
                    let own = segment.doc_id()[ordinal] as usize;
                    let mut found: Vec<usize> =
                        members(&snapshot, &selected, (n, ordinal), by_family).unwrap().into_iter().map(id).collect();
                    found.sort_unstable();
                    prop_assert_eq!(&found, &groups[&key(own, &docs[own], by_family)]);
                }
            }

            let request = Request {
                query: &[1.0],
                documents: want,
                chunks: 1,
                dedupe: true,
                by_family,
                shown: None,
                min_score: f32::NEG_INFINITY,
            };
            let scans = vec![Scan::Exact; snapshot.segments.len()];
            let hits = search(&snapshot, &selected, &scans, &request).unwrap().hits;
            let best = |group: &Vec<usize>| group.iter().map(|&id| docs[id].score).max().unwrap();
            let mut expected: Vec<i8> = groups.values().map(best).collect();
            expected.sort_unstable_by(|a, b| b.cmp(a));
            expected.truncate(want);
            prop_assert_eq!(hits.iter().map(|hit| hit.score as i8).collect::<Vec<_>>(), expected);

            let wanted: Vec<String> = countries.iter().map(|c| c.to_string()).collect();
            let place = |id: &usize| countries.iter().position(|&c| c == docs[*id].country).unwrap_or(countries.len());
            for hit in &hits {
                let own = (hit.segment as usize, hit.ordinal as usize);
                let other = preferred(&snapshot, &selected, &request, &wanted, own).unwrap();
                let shown = other.unwrap_or(*hit);
                let shown_id = id((shown.segment as usize, shown.ordinal as usize));
                let group = &groups[&key(id(own), &docs[id(own)], by_family)];
                prop_assert!(group.contains(&shown_id));
                prop_assert!(other.is_none() || shown_id != id(own));
                let first = group.iter().map(place).min().unwrap();
                prop_assert_eq!(place(&shown_id), first);
                let rivals = group.iter().filter(|id| first == countries.len() || place(id) == first);
                prop_assert_eq!(shown.score as i8, rivals.map(|&id| docs[id].score).max().unwrap());
            }
        }

        #[test]
        fn a_clause_may_have_several_columns(docs in docs(), cut in 0usize..60, number in 1u8..6) {
            let dir = tempfile::tempdir().unwrap();
            let snapshot = snapshot(dir.path(), &docs, cut);
            let test = Test::Exact(vec![number.to_string()]);
            let clause = Clause { column: "family".into(), or: vec!["application".into()], test };
            let selected = snapshot.select(&[clause]).unwrap();
            let id = |(n, ordinal): (usize, usize)| snapshot.segments[n].0.doc_id()[ordinal] as usize;
            let mut found: Vec<usize> = sample(&snapshot, &selected, docs.len()).into_iter().map(id).collect();
            found.sort_unstable();
            let fits = |&id: &usize| docs[id].family == number || docs[id].application == number;
            prop_assert_eq!(found, (0..docs.len()).filter(fits).collect::<Vec<_>>());
        }
    }
}
