//! What a table of translations finds, and which files it refuses.

use super::write::analysed;
use super::*;
use crate::file::Writer;
use crate::lexical::analysis::Analyser;
use proptest::prelude::*;

fn written(groups: &[Group]) -> (tempfile::TempDir, Terms) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("terms.bin");
    write(&path, groups).unwrap();
    let terms = Terms::open(&path).unwrap();
    (dir, terms)
}

fn group(text: &str) -> Group {
    let members = text
        .split(' ')
        .filter_map(|one| one.split_once('='))
        .map(|(a, b)| (a.into(), b.replace('_', " ")))
        .collect();
    Group { members, ..Group::default() }
}

fn synonyms(text: &str) -> Group {
    Group { synonyms: true, ..group(text) }
}

fn shown(terms: &Terms, key: &str, most: usize) -> Vec<String> {
    let term = terms.look_up(key).term.unwrap_or_else(|| panic!("no {key}"));
    terms.translations(term, most).into_iter().map(|other| terms.text(other).to_owned()).collect()
}

#[test]
fn a_term_has_the_translations_of_its_senses() {
    let groups = [
        group("en=cell ko=전지 ja=電池 zh=电池"),
        group("en=cells ko=세포 ja=細胞 zh=细胞"),
        group("en=lithium_ion_battery ko=리튬_이온_전지 ko=리튬이온전지"),
        group("en=alone"),
    ];
    let (_dir, terms) = written(&groups);
    // As it is written, `cells` is a term of its own.
    assert_eq!(terms.size(), (8, 3));
    assert_eq!(shown(&terms, "cell", 2), ["전지", "电池"]);
    assert_eq!(shown(&terms, "cells", 2), ["세포", "细胞"]);
    assert_eq!(shown(&terms, "세포", 2), ["cell", "细胞"]);
    // Spaces do not count for a search, and stay in the term.
    assert_eq!(shown(&terms, "lithiumionbatteri", 2), ["리튬 이온 전지"]);
    assert_eq!(terms.look_up("lithiumion"), Lookup { term: None, begins: true });
    assert_eq!(terms.look_up("lithiumions"), Lookup { term: None, begins: false });
}

#[test]
fn french_stems_are_found_whatever_their_accents() {
    let groups = [
        group("fr=échangeur_à_plaques zh=板式换热器"),
        group("fr=côte zh=海岸"),
        group("fr=côté zh=侧面"),
        group("fr=œil zh=眼"),
        group("fr=chaleur zh=热"),
        group("de=Öl zh=油"),
    ];
    let (_dir, terms) = written(&groups);
    let found = |key: &str| {
        let (found, begins) = terms.look_up_unaccented(key);
        (found.into_iter().map(|n| terms.text(n).to_owned()).collect::<Vec<_>>(), begins)
    };
    assert_eq!(found("\u{6}echangeur"), (vec![], true));
    for key in ["\u{6}echangeur\u{6}a\u{6}plaqu", "\u{6}échangeur\u{6}a\u{6}plaqu"] {
        assert_eq!(found(key), (vec!["\u{6}échangeur \u{6}à \u{6}plaqu".into()], false));
    }
    assert_eq!(found("\u{6}cot"), (vec!["\u{6}côt".into()], false));
    assert_eq!(found("\u{6}oeil").0, ["\u{6}œil"]);
    for none in ["\u{6}chaleur", "\u{6}echangeurs", "\u{5}ol", "zzz", ""] {
        assert!(found(none).0.is_empty(), "{none}");
    }
    assert_eq!(Terms::default().look_up_unaccented("\u{6}cot"), (vec![], false));
}

#[test]
fn a_stem_has_the_translations_of_all_its_words() {
    let (_dir, terms) = written(&[group("en=generator zh=发电机"), group("en=generation zh=生成")]);
    assert_eq!(shown(&terms, "generator", 2), ["发电机"]);
    assert_eq!(shown(&terms, "generation", 2), ["生成"]);
    assert_eq!(shown(&terms, "generat", 1), ["发电机"]);
    assert_eq!(shown(&terms, "generat", 2), ["发电机", "生成"]);
    assert_eq!(shown(&terms, "发电机", 2), ["generat"]);
}

#[test]
fn members_of_one_language_are_synonyms_where_the_group_says_so() {
    let groups = [
        synonyms("en=elevator en=lift ko=승강기 zh=电梯 zh=升降机 zh=直梯"),
        group("en=elevation zh=高架"),
        group("en=hoist en=lift zh=卷扬机"),
    ];
    let (_dir, terms) = written(&groups);
    assert_eq!(shown(&terms, "电梯", 3), ["elev", "lift", "승강기", "升降机", "直梯"]);
    assert_eq!(shown(&terms, "电梯", 1), ["elev", "승강기", "升降机"]);
    // Its own stem, which is that of `elevation`, is no synonym of the term as it is written.
    assert_eq!(shown(&terms, "elevator", 1), ["lift", "승강기", "电梯"]);
    assert_eq!(shown(&terms, "elevation", 1), ["高架"]);
    assert_eq!(shown(&terms, "lift", 2), ["elev", "승강기", "电梯", "升降机"]);
    assert_eq!(shown(&terms, "hoist", 2), ["卷扬机"]);
}

#[test]
fn of_a_translation_and_a_longer_one_with_it_the_shorter_is_used() {
    let groups = [
        synonyms(
            "en=lidar_device en=laser_radar en=lidar ko=라이다_장치 ko=레이저_레이더 ko=라이다 zh=激光雷达 zh=激光雷达装置",
        ),
        group("en=dar ko=다르 zh=激光雷达"),
    ];
    let (_dir, terms) = written(&groups);
    assert_eq!(shown(&terms, "激光雷达", 2), ["lidar", "laser radar", "라이다", "레이저 레이더"]);
    // The longer one has the shorter as a synonym, which finds more; the shorter one has no use for the longer.
    assert_eq!(shown(&terms, "激光雷达装置", 1), ["lidar", "라이다", "激光雷达"]);
    assert_eq!(shown(&terms, "lidar", 2), ["laser radar", "라이다", "레이저 레이더", "激光雷达"]);
}

#[test]
fn a_shorter_translation_of_a_group_with_another_name_is_wider() {
    let groups = [
        group("en=reverse_osmosis ko=역삼투 zh=反渗透"),
        group("en=osmosis en=reverse_osmosis ko=삼투 zh=渗透 zh=逆渗透膜 zh=反渗透膜"),
    ];
    let (_dir, terms) = written(&groups);
    assert_eq!(shown(&terms, "reversosmosi", 2), ["역삼투", "反渗透", "逆渗透膜"]);
    let groups = [
        group("en=lidar_device ko=라이다_장치 zh=激光雷达 zh=激光雷达装置"),
        group("en=lidar ko=라이다 zh=激光雷达"),
    ];
    let (_dir, terms) = written(&groups);
    assert_eq!(shown(&terms, "激光雷达", 2), ["lidar", "라이다"]);
}

#[test]
fn a_word_that_is_only_looked_up_translates_nothing() {
    let groups = [
        Group {
            one_way: true, ..synonyms("en=learning en=machine_learning ja=機械学習 zh=机器学习")
        },
        group("en=learn ja=学習"),
    ];
    let (_dir, terms) = written(&groups);
    assert_eq!(shown(&terms, "learning", 2), ["machin learn", "机械学习", "机器学习"]);
    assert_eq!(shown(&terms, "机械学习", 2), ["machin learn", "机器学习"]);
    assert_eq!(shown(&terms, "machinlearn", 2), ["机械学习", "机器学习"]);
}

#[test]
fn damage_and_another_analysis_are_errors() {
    let (dir, _) = written(&[group("en=cell ko=전지")]);
    let path = dir.path().join("terms.bin");
    let bytes = std::fs::read(&path).unwrap();
    let mut damaged = bytes.clone();
    damaged[70] ^= 1;
    std::fs::write(&path, damaged).unwrap();
    assert_eq!(Terms::open(&path).err().unwrap().code(), "data_corrupt");
    std::fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    assert_eq!(Terms::open(&path).err().unwrap().code(), "data_corrupt");
    let mut out = Writer::create(&path).unwrap();
    out.section("analysis", &(VERSION + 1).to_le_bytes()).unwrap();
    out.finish().unwrap();
    let error = Terms::open(&path).err().unwrap();
    assert!(error.to_string().contains("another analysis"), "{error}");
    assert!(write(&path, &[group("xx=cell")]).is_err());
}

proptest! {
    #[test]
    fn every_term_is_found_and_nothing_else(
        words in prop::collection::btree_set("[a-d가-나电池]{1,6}", 2..60),
        others in prop::collection::vec("[a-d가-나电池]{1,6}", 20),
    ) {
        let members = |word: &String| vec![("fr".into(), word.clone()), ("ko".into(), "한국".into())];
        let own: Vec<Group> =
            words.iter().map(|word| Group { members: members(word), ..Group::default() }).collect();
        let (_dir, terms) = written(&own);
        let mut analyser = Analyser::default();
        let keys: std::collections::BTreeSet<String> = words
            .iter()
            .map(|word| analysed(&mut analyser, "fr", word).replace(' ', ""))
            .chain(["한국".to_owned()])
            .collect();
        for key in keys.iter().chain(&others) {
            let found = terms.look_up(key);
            prop_assert_eq!(found.term.is_some(), keys.contains(key), "{}", key);
            let begins = keys.iter().any(|other| other.starts_with(key.as_str()) && other != key);
            prop_assert_eq!(found.begins, begins, "{}", key);
            if let Some(term) = found.term {
                prop_assert_eq!(&terms.text(term).replace(' ', ""), key);
            }
        }
    }

    #[test]
    fn any_bytes_in_the_sections_are_an_error_or_a_table(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("terms.bin");
        let mut out = Writer::create(&path).unwrap();
        out.section("analysis", &VERSION.to_le_bytes()).unwrap();
        out.section("terms", &bytes).unwrap();
        out.section("blocks", crate::file::bytes_of(&[0u32])).unwrap();
        out.section("senses", &bytes).unwrap();
        out.section("asked", crate::file::bytes_of(&[0u32])).unwrap();
        out.finish().unwrap();
        if let Ok(terms) = Terms::open(&path) {
            for term in 0..terms.size().0 as u32 {
                terms.translations(term, 2);
                terms.best_translations(term);
                terms.text(term);
            }
        }
    }
}
