//! The tokenizer of a published model: a Hugging Face `tokenizer.json`.
//!
//! Uses the crate behind Python's `tokenizers`, because the quality of vectors depends on the ids.
//! On 10,000 real and random texts in many scripts, its ids equal Python's for WordPiece, Unigram
//! and both kinds of BPE (see `test/onnx/tokenizer.test.ts`). The JavaScript port
//! @huggingface/tokenizers 0.2.0 differs on 4 % of them with WordPiece and 0.4 % with Unigram (all
//! of them random texts), takes up to 4.7 times as long, and has no offsets, with which windows
//! keep a prompt. One instance serves all threads. The price is 74 crates and a minute and a half
//! of compilation on each machine.

use crate::{Error, Result};
use std::path::Path;
use tokenizers::Tokenizer;

/// An open tokenizer. It ignores the padding and truncation of the file; the caller does them.
pub struct TokenizerJson {
    tokenizer: Tokenizer,
}

/// Tokens of texts one after another, each with the prompt around it, without special tokens.
#[derive(Default)]
pub struct Tokens {
    pub ids: Vec<u32>,
    /// Text i has `ids[starts[i]..starts[i + 1]]`.
    pub starts: Vec<u32>,
    /// The first `before[i]` of these belong to the prompt before the text, the last `after[i]` to
    /// the prompt after it.
    pub before: Vec<u32>,
    pub after: Vec<u32>,
}

/// Special tokens that the model expects around a text or a pair, and the token types of all parts.
#[derive(Default, Debug, PartialEq)]
pub struct Frame {
    /// Before the first text; between the texts of a pair; after the last text.
    pub ids: [Vec<u32>; 3],
    pub types: [Vec<u32>; 3],
    /// Token types of the texts.
    pub text_types: Vec<u32>,
}

impl TokenizerJson {
    pub fn open(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(Error::io(path))?;
        let mut tokenizer = Tokenizer::from_bytes(&bytes)
            .map_err(|error| Error::corrupt(path, format!("not a valid tokenizer.json: {error}")))?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(invalid)?;
        Ok(TokenizerJson { tokenizer })
    }

    /// Tokens of `before + text + after` for each text. The prompt is tokenized together with the
    /// text, as in training: a token on the border belongs to the text.
    pub fn encode(&self, texts: &[String], before: &str, after: &str) -> Result<Tokens> {
        let mut tokens = Tokens { starts: vec![0], ..Tokens::default() };
        for text in texts {
            let whole = [before, text, after].concat();
            let encoding = self.tokenizer.encode(whole, false).map_err(invalid)?;
            let offsets = encoding.get_offsets();
            let (from, to) = (before.len(), before.len() + text.len());
            let lead = offsets.iter().take_while(|(_, end)| *end <= from && from > 0).count();
            let tail =
                offsets[lead..].iter().rev().take_while(|(start, _)| *start >= to && !after.is_empty());
            tokens.after.push(tail.count() as u32);
            tokens.before.push(lead as u32);
            tokens.ids.extend_from_slice(encoding.get_ids());
            tokens.starts.push(tokens.ids.len() as u32);
        }
        Ok(tokens)
    }

    /// Special tokens of the tokenizer around one text, or around and between two texts.
    pub fn frame(&self, pair: bool) -> Result<Frame> {
        // Sequence ids distinguish the tokens of a test text from the special tokens.
        let encoding =
            if pair { self.tokenizer.encode(("a", "a"), true) } else { self.tokenizer.encode("a", true) };
        let encoding = encoding.map_err(invalid)?;
        let sequences = encoding.get_sequence_ids();
        let last = if pair { Some(1) } else { Some(0) };
        if !sequences.contains(&Some(0)) || !sequences.contains(&last) {
            return Err(Error::Invalid("the tokenizer gives no token for the letter a".into()));
        }
        let mut frame = Frame { text_types: vec![0; if pair { 2 } else { 1 }], ..Frame::default() };
        let mut part = 0;
        for ((&id, &kind), sequence) in encoding.get_ids().iter().zip(encoding.get_type_ids()).zip(sequences)
        {
            match sequence {
                Some(text) => {
                    frame.text_types[text] = kind;
                    part = if Some(text) == last { 2 } else { 1 };
                }
                None => {
                    frame.ids[part].push(id);
                    frame.types[part].push(kind);
                }
            }
        }
        Ok(frame)
    }

    pub fn id_of(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    /// Number of tokens, added tokens included.
    pub fn len(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn invalid(error: tokenizers::Error) -> Error {
    Error::Invalid(format!("the text could not be tokenized: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A WordPiece tokenizer of a few words, as small as the format allows.
    const SMALL: &str = r###"{
      "version": "1.0", "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
      "padding": null,
      "added_tokens": [{"id": 1, "content": "[CLS]", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}],
      "normalizer": null, "pre_tokenizer": {"type": "BertPreTokenizer"},
      "post_processor": {"type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
        "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
        "special_tokens": {"[CLS]": {"id": "[CLS]", "ids": [1], "tokens": ["[CLS]"]}, "[SEP]": {"id": "[SEP]", "ids": [2], "tokens": ["[SEP]"]}}},
      "decoder": null,
      "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
        "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "query": 3, ":": 4, "a": 5, "##b": 6, "c": 7}}
    }"###;

    fn open(name: &str, text: &str) -> (tempfile::TempDir, Result<TokenizerJson>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let opened = TokenizerJson::open(&path);
        (folder, opened)
    }

    #[test]
    fn tells_the_prompt_from_the_text_and_cuts_nothing() {
        let tokenizer = open("tokenizer.json", SMALL).1.unwrap();
        let texts = ["ab c c c".to_owned(), String::new(), "한".to_owned()];
        let tokens = tokenizer.encode(&texts, "query: ", "").unwrap();
        assert_eq!(tokens.ids, [3, 4, 5, 6, 7, 7, 7, 3, 4, 3, 4, 0]);
        assert_eq!(tokens.starts, [0, 7, 9, 12]);
        assert_eq!(tokens.before, [2, 2, 2]);
        assert_eq!(tokens.after, [0, 0, 0]);
        let tokens = tokenizer.encode(&texts[..1], "", " query").unwrap();
        assert_eq!((tokens.before[0], tokens.after[0]), (0, 1));
    }

    #[test]
    fn tells_which_special_tokens_go_where() {
        let tokenizer = open("tokenizer.json", SMALL).1.unwrap();
        let single = tokenizer.frame(false).unwrap();
        assert_eq!(single.ids, [vec![1], vec![], vec![2]]);
        let pair = tokenizer.frame(true).unwrap();
        assert_eq!(pair.ids, [vec![1], vec![2], vec![2]]);
        assert_eq!(pair.types, [vec![0], vec![0], vec![1]]);
        assert_eq!(pair.text_types, [0, 1]);
        assert_eq!(
            (tokenizer.id_of("[SEP]"), tokenizer.id_of("nothing"), tokenizer.len()),
            (Some(2), None, 8)
        );
    }

    #[test]
    fn a_damaged_file_is_an_error_that_names_it() {
        for text in ["", "{", "{}", "[]", &SMALL[..SMALL.len() / 2]] {
            let error = open("tokenizer.json", text).1.err().unwrap();
            assert_eq!(error.code(), "data_corrupt");
            assert!(error.to_string().contains("tokenizer.json"), "{error}");
        }
        assert_eq!(
            TokenizerJson::open(Path::new("/none/tokenizer.json")).err().unwrap().code(),
            "data_missing"
        );
    }
}
