//! Fuzzes a text as a question or as a passage. Expects ids of the model's pieces, and a vector of
//! length one or zero.
#![no_main]

use libfuzzer_sys::{fuzz_target, Corpus};
use priorart_core::late::bag::{decode, Bagger};
use priorart_core::static_model::StaticModel;
use std::path::Path;
use std::sync::LazyLock;

static MODEL: LazyLock<StaticModel> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/static/model.bin");
    StaticModel::open(&path).expect("the model that comes with the package")
});

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(bytes) else { return Corpus::Reject };
    let reader = MODEL.reader();
    let mut vector = vec![0f32; reader.dimensions()];
    let mut bag = Vec::new();
    Bagger::default().embed(&reader, text, &mut vector, &mut bag);
    let norm: f32 = vector.iter().map(|x| x * x).sum();
    assert!(norm == 0.0 || (norm - 1.0).abs() < 1e-3, "length {norm}");
    let length = decode(&bag, reader.pieces() as u32, |_, count| assert!(count > 0));
    assert!(length.is_some(), "a bag that does not read back");
    // Random bytes as a bag.
    decode(bytes, reader.pieces() as u32, |id, _| assert!((id as usize) < reader.pieces()));
    Corpus::Keep
});
