//! Binding between Node and the Rust crates: typed arrays in and out, and errors whose message
//! starts with a stable code, which `src/index/native.ts` turns into a PriorartError. Search logic
//! is in `priorart-core`.

mod ann;
mod background;
mod errors;
mod faiss;
mod files;
mod languages;
mod opened;
mod recall;
mod segments;
mod snapshot;
mod sqlite;
mod static_model;
mod text;
mod tokenizer_json;
mod xml;
