//! Forms of Han characters: the simplified one, and the traditional and Japanese ones that are the same character.

use std::sync::LazyLock;

/// Traditional and Japanese forms of Han characters and their simplified forms, by form. The table,
/// made from OpenCC's, is that of the default model, too: models/static/train reads it here.
static HAN: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let pair = |line: &str| -> Option<(char, char)> {
        let (form, simplified) = line.split_once('\t')?;
        Some((form.chars().next()?, simplified.chars().next()?))
    };
    let mut pairs: Vec<_> = include_str!("han.tsv").lines().filter_map(pair).collect();
    pairs.sort_unstable();
    pairs
});

/// The same pairs the other way round, by simplified form.
static FORMS: LazyLock<Vec<(char, char)>> = LazyLock::new(|| {
    let mut pairs: Vec<_> = HAN.iter().map(|&(form, simplified)| (simplified, form)).collect();
    pairs.sort_unstable();
    pairs
});

/// The simplified form of a character; any other character is its own.
pub fn simplified(c: char) -> char {
    match HAN.binary_search_by_key(&c, |&(form, _)| form) {
        Ok(at) => HAN[at].1,
        Err(_) => c,
    }
}

/// A text in pieces, each with the ways to write it: a character of several forms in all of them, the simplified one first; or the
/// characters between two of these, in one way.
pub fn spellings(text: &str) -> Vec<Vec<String>> {
    let mut pieces: Vec<Vec<String>> = Vec::new();
    for c in text.chars() {
        let simplified = simplified(c);
        let from = FORMS.partition_point(|&(other, _)| other < simplified);
        let forms = FORMS[from..].iter().take_while(|&&(other, _)| other == simplified);
        let all: Vec<String> =
            std::iter::once(simplified).chain(forms.map(|&(_, form)| form)).map(String::from).collect();
        match pieces.last_mut() {
            Some(last) if all.len() == 1 && last.len() == 1 => last[0].push(c),
            _ => pieces.push(all),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parted_at_characters_of_several_forms() {
        let shown =
            |text: &str| spellings(text).iter().map(|ways| ways.join("|")).collect::<Vec<_>>().join(" ");
        assert_eq!(shown("三菱電機abc"), "三菱 电|電 机|機 abc");
        assert_eq!(shown("三菱电机abc"), "三菱 电|電 机|機 abc");
        assert_eq!(shown("日立製作所"), "日立 制|製 作所");
        assert_eq!(shown("歴史"), "历|厤|暦|曆|歴|歷 史");
        assert_eq!(shown("삼성 Samsung"), "삼성 Samsung");
        assert_eq!(shown(""), "");
    }

    #[test]
    fn a_simplified_form_is_its_own() {
        assert!(HAN.iter().all(|&(_, c)| simplified(c) == c));
    }
}
