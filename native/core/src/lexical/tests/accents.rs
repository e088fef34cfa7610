//! French questions without accents.

use super::*;

fn table_of_french(dir: &Path) -> Terms {
    table_of(
        dir,
        &[
            &[("fr", "échangeur de chaleur"), ("ko", "열교환기"), ("zh", "换热器")],
            &[("fr", "pile à combustible"), ("zh", "燃料电池")],
            &[("fr", "cheminée"), ("zh", "烟囱")],
            &[("fr", "pâte"), ("zh", "面团")],
            &[("en", "pate"), ("zh", "肉酱")],
        ],
    )
}

#[test]
fn french_terms_are_found_without_accents() {
    let dir = tempfile::tempdir().unwrap();
    let terms = table_of_french(dir.path());
    let of_last = |question: &str| -> Vec<Phrase> {
        let concepts = translated(&terms, question);
        let word = concepts.iter().rfind(|concept| !concept.is_extra).unwrap();
        word.translations.iter().map(|other| (*other.phrase).clone()).collect()
    };
    for (question, plain) in [
        ("échangeur de chaleur", "echangeur de chaleur"),
        ("échangeur de chaleur", "ECHANGEURS DE CHALEUR"),
        ("pile à combustible", "PILE A COMBUSTIBLE"),
        ("cheminée", "cheminee"),
        ("cheminées", "CHEMINEES"),
    ] {
        let (exact, found) = (of_last(question), of_last(plain));
        assert!(!exact.is_empty() && exact.iter().all(|phrase| found.contains(phrase)), "{plain}: {found:?}");
    }
    // French texts have the accents.
    assert!(of_last("cheminee").contains(&Phrase::word("\u{6}chemin")));
    assert!(!of_last("cheminée").contains(&Phrase::word("\u{6}chemin")));
    // Exact terms come first.
    assert_eq!((of_last("pate").len(), of_last("pates").len()), (1, 1));
    assert_eq!(of_last("pâte").len(), 1);
    assert!(of_last("freezee tree").is_empty());
}
