//! Glue between Node and the Rust below it: typed arrays in, typed arrays out, and errors whose message
//! starts with a stable code that `src/index/native.ts` turns into a PriorartError. No logic lives here.
//! `node scripts/addon-types.mjs` makes src/index/addon.ts, the types that TypeScript sees, from these declarations and
//! their comments.

mod ann;
mod background;
mod clauses;
mod count;
mod errors;
mod faiss;
mod files;
mod halves;
mod languages;
mod open_files;
mod opened;
mod recall;
mod segments;
mod snapshot;
mod sqlite;
mod static_model;
mod text;
mod tokenizer_json;
mod words;
mod xml;
