//! Tokenizers of published models: convert texts to ids.

use crate::errors::{coded, from_core};
use napi::bindgen_prelude::*;
use napi_derive::napi;
use priorart_core::tokenizer_json::{Frame, TokenizerJson as Core};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, Weak};

/// Tokenizers that any thread of this process has open. One of 250,000 pieces takes 100 MB.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Core>>>> = LazyLock::new(Default::default);

fn open_shared(path: PathBuf) -> Result<Arc<Core>> {
    let mut open = OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if let Some(tokenizer) = open.get(&path).and_then(Weak::upgrade) {
        return Ok(tokenizer);
    }
    let tokenizer = Arc::new(Core::open(&path).map_err(from_core)?);
    open.retain(|_, weak| weak.strong_count() > 0);
    open.insert(path, Arc::downgrade(&tokenizer));
    Ok(tokenizer)
}

/// Tokens of texts one after another, without special tokens.
#[napi(object)]
pub struct PromptedTokens {
    pub ids: Uint32Array,
    /// Text i has `ids[starts[i]..starts[i + 1]]`.
    pub starts: Uint32Array,
    /// Number of these at the beginning and at the end that belong to the prompt.
    pub before: Uint32Array,
    pub after: Uint32Array,
}

/// Special tokens before, between and after texts, with their token types.
#[napi(object)]
pub struct TokenFrame {
    pub ids: Vec<Vec<u32>>,
    pub types: Vec<Vec<u32>>,
    pub text_types: Vec<u32>,
}

#[napi]
pub struct TokenizerJson {
    tokenizer: Option<Arc<Core>>,
}

#[napi]
impl TokenizerJson {
    #[napi(constructor, catch_unwind)]
    pub fn new(path: String) -> Result<Self> {
        Ok(TokenizerJson { tokenizer: Some(open_shared(path.into())?) })
    }

    fn tokenizer(&self) -> Result<&Core> {
        self.tokenizer.as_deref().ok_or_else(|| coded("internal", "the tokenizer is closed"))
    }

    /// Number of tokens, added tokens included.
    #[napi(getter)]
    pub fn size(&self) -> Result<u32> {
        Ok(self.tokenizer()?.len() as u32)
    }

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

    #[napi(catch_unwind)]
    pub fn frame(&self, pair: bool) -> Result<TokenFrame> {
        let Frame { ids, types, text_types } = self.tokenizer()?.frame(pair).map_err(from_core)?;
        Ok(TokenFrame { ids: ids.into(), types: types.into(), text_types })
    }

    #[napi(catch_unwind)]
    pub fn id_of(&self, token: String) -> Result<Option<u32>> {
        Ok(self.tokenizer()?.id_of(&token))
    }

    #[napi(catch_unwind)]
    pub fn close(&mut self) {
        self.tokenizer = None;
    }
}
