//! Packs the table of term translations: `cargo run --release -p priorart-core --example pack_terms GROUPS TABLE`.
//! Each line of GROUPS is a sense: `language=term`, separated by tabs (models/terms/train/build.py). A line that begins with
//! `synonyms` has synonyms within a language, too; one that begins with `one-way` as well, and its first term is only looked up.

use priorart_core::lexical::terms::{write, Group};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(from), Some(to)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack_terms GROUPS TABLE".into());
    };
    let text = std::fs::read_to_string(from)?;
    let member = |member: &str| member.split_once('=').map(|(language, term)| (language.into(), term.into()));
    let group = |line: &str| {
        let (mark, rest) =
            line.split_once('\t').filter(|(mark, _)| !mark.contains('=')).unwrap_or(("", line));
        let members: Option<Vec<_>> = rest.split('\t').map(member).collect();
        Some(Group { members: members?, synonyms: !mark.is_empty(), one_way: mark == "one-way" })
    };
    let groups: Option<Vec<Group>> = text.lines().map(group).collect();
    let (terms, groups) = write(Path::new(&to), &groups.ok_or("a member has no language")?)?;
    println!("{terms} terms in {groups} groups");
    Ok(())
}
