use crate::Error;
use std::fmt;
use std::str::FromStr;

/// How vectors are stored and searched. BENCHMARKS.md has measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Kind {
    /// Unchanged vectors, all of which are compared: exact.
    Flat = 0,
    /// Inverted lists by nearest centroid, unchanged vectors.
    IvfFlat = 1,
    /// Inverted lists, one byte for each component.
    IvfSq8 = 2,
    /// Inverted lists, a half-precision float for each component.
    IvfSqfp16 = 3,
    /// Inverted lists, four bits for every few components, scanned with SIMD table look-ups. Scores
    /// are estimates: compute them from the vectors before you show them or compare them with a
    /// threshold.
    IvfPq = 4,
    /// `IvfPq` whose best `k * k_factor` rows are rescored from one byte for each component.
    IvfPqRefine = 5,
    /// A navigable graph over unchanged vectors.
    HnswFlat = 6,
    /// A navigable graph over one byte for each component.
    HnswSq8 = 7,
}

/// The greatest magnitude of a component of a vector, equal to that in cpp/shim.h. Inner products
/// of vectors of 65,536 such components are finite.
pub(crate) const GREATEST_COMPONENT: f32 = 1e15;
/// Half of the greatest half-precision float, since `IvfSqfp16` stores the difference of a vector
/// and a centroid.
const GREATEST_HALF: f32 = 32_752.0;

impl Kind {
    pub const ALL: [Kind; 8] = [
        Kind::Flat,
        Kind::IvfFlat,
        Kind::IvfSq8,
        Kind::IvfSqfp16,
        Kind::IvfPq,
        Kind::IvfPqRefine,
        Kind::HnswFlat,
        Kind::HnswSq8,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Kind::Flat => "flat",
            Kind::IvfFlat => "ivf-flat",
            Kind::IvfSq8 => "ivf-sq8",
            Kind::IvfSqfp16 => "ivf-sqfp16",
            Kind::IvfPq => "ivf-pq",
            Kind::IvfPqRefine => "ivf-pq-refine",
            Kind::HnswFlat => "hnsw-flat",
            Kind::HnswSq8 => "hnsw-sq8",
        }
    }

    /// Whether rows are in inverted lists. `nlist` and `nprobe` apply to these kinds.
    pub fn has_lists(self) -> bool {
        !matches!(self, Kind::Flat | Kind::HnswFlat | Kind::HnswSq8)
    }

    /// Whether rows are stored by 4-bit product quantization. `pq_m` applies to these kinds.
    pub fn has_product_quantizer(self) -> bool {
        matches!(self, Kind::IvfPq | Kind::IvfPqRefine)
    }

    /// The greatest magnitude of a component of a stored vector.
    pub fn greatest_component(self) -> f32 {
        match self {
            Kind::IvfSqfp16 => GREATEST_HALF,
            _ => GREATEST_COMPONENT,
        }
    }

    pub(crate) fn from_number(number: i32) -> Kind {
        Kind::ALL[number as usize]
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Kind, Error> {
        Kind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| Error::UnknownKind(name.to_owned()))
    }
}
