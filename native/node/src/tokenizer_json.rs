//! Tokenizers of published models: convert texts to ids.

use crate::errors::{coded, from_core};
use crate::open_files::OpenFiles;
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::tokenizer_json::{Frame, TokenizerJson as Core};
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// Tokenizers that any thread of this process has open. One of 250,000 pieces takes 100 MB.
static OPEN: LazyLock<OpenFiles<Core>> = LazyLock::new(Default::default);

/// Tokens of several texts, each with a prompt around it, without special tokens.
#[napi(object)]
pub struct PromptedTokens {
    pub ids: Uint32Array,
    /// Text i has `ids[starts[i] .. starts[i + 1]]`.
    pub starts: Uint32Array,
    /// Number of tokens at the beginning of each text that belong to the prompt.
    pub before: Uint32Array,
    /// Number of tokens at the end of each text that belong to the prompt.
    pub after: Uint32Array,
}

/// Special tokens that a tokenizer puts before, between and after texts, with their token types.
#[napi(object)]
pub struct TokenFrame {
    pub ids: Vec<Vec<u32>>,
    pub types: Vec<Vec<u32>>,
    /// Token types of the texts themselves.
    pub text_types: Vec<u32>,
}

/// A model's tokenizer.json, opened once a process.
#[napi]
pub struct TokenizerJson {
    tokenizer: Option<Arc<Core>>,
}

#[napi]
impl TokenizerJson {
    /// Opens a tokenizer.json.
    #[napi(constructor, catch_unwind)]
    pub fn new(path: String) -> Result<Self> {
        let tokenizer = OPEN.open(Path::new(&path), |path| Core::open(path).map_err(from_core))?;
        Ok(TokenizerJson { tokenizer: Some(tokenizer) })
    }

    fn tokenizer(&self) -> Result<&Core> {
        self.tokenizer.as_deref().ok_or_else(|| coded("internal", "the tokenizer is closed"))
    }

    /// Number of tokens, added ones included.
    #[napi(getter)]
    pub fn size(&self) -> Result<u32> {
        Ok(self.tokenizer()?.len() as u32)
    }

    /// Tokens of texts, each with the prompt `before` and `after` it.
    #[napi(catch_unwind)]
    pub fn encode(&self, texts: Vec<String>, before: String, after: String) -> Result<PromptedTokens> {
        let tokens = self.tokenizer()?.encode(&texts, &before, &after).map_err(from_core)?;
        Ok(PromptedTokens {
            ids: tokens.ids.into(),
            starts: tokens.starts.into(),
            before: tokens.before.into(),
            after: tokens.after.into(),
        })
    }

    /// The special tokens around one text, or with `pair` around two.
    #[napi(catch_unwind)]
    pub fn frame(&self, pair: bool) -> Result<TokenFrame> {
        let Frame { ids, types, text_types } = self.tokenizer()?.frame(pair).map_err(from_core)?;
        Ok(TokenFrame { ids: ids.into(), types: types.into(), text_types })
    }

    /// The id of a token; null if there is no such token.
    #[napi(catch_unwind)]
    pub fn id_of(&self, token: String) -> Result<Option<u32>> {
        Ok(self.tokenizer()?.id_of(&token))
    }

    /// Frees the tokenizer at once instead of at garbage collection.
    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.tokenizer = None;
    }
}
