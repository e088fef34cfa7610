//! Meaning of an element's name for readable text, looked up once for each name of a document.

/// Roles of the names in the offices' document types and in MathML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Its text stays within the line: bold, references, subscripts, and all unknown elements.
    Inline,
    /// Begins and ends a line.
    Block,
    /// Its parts stay within the line even if they are blocks elsewhere.
    Flat,
    Cell,
    /// It has no readable text.
    Nothing,
    LineBreak,
    Superscript,
    Chemistry,
    Image,
    /// Holds a formula, a picture of it, or both.
    Maths,
    /// MathML.
    Math,
    Fraction,
    Super,
    Sub,
    SubSuper,
    SquareRoot,
    Root,
    Row,
    Table,
    Fenced,
    Annotation,
    /// Attributes of `mfenced`.
    Open,
    Close,
}

use Role::*;

const ALL: [Role; Close as usize + 1] = [
    Inline,
    Block,
    Flat,
    Cell,
    Nothing,
    LineBreak,
    Superscript,
    Chemistry,
    Image,
    Maths,
    Math,
    Fraction,
    Super,
    Sub,
    SubSuper,
    SquareRoot,
    Root,
    Row,
    Table,
    Fenced,
    Annotation,
    Open,
    Close,
];

/// Checks that `ALL` has the order of the declaration.
const _: () = {
    let mut at = 0;
    while at < ALL.len() {
        assert!(ALL[at] as usize == at);
        at += 1;
    }
};

impl Role {
    pub fn of_element(name: &str) -> Role {
        match name {
            "p" | "claim-text" | "li" | "ul" | "ol" | "dl" | "dt" | "dd" | "row" | "tr" | "table"
            | "tables" | "tgroup" | "thead" | "tbody" | "title" | "heading" | "pre"
            | "table-external-doc" | "crossref-list" => Block,
            // US applications and US grants, both up to 2004.
            "paragraph" | "list-item" | "unordered-list" | "ordered-list" | "table-cwu" => Block,
            "PARA" | "H" | "CLMSTEP" | "TABLE-US" | "TABLE-CALS" | "UL" | "OL" | "LI" | "DL" | "DT"
            | "DD" => Block,
            "dependent-claim-reference" => Flat,
            "entry" | "td" | "th" => Cell,
            "colspec" | "mprescripts" | "none" | "malignmark" | "maligngroup" => Nothing,
            // The number of a paragraph, table or formula, which readers read separately.
            "number" => Nothing,
            "br" => LineBreak,
            "sup" | "sup2" | "superscript" | "SP" => Superscript,
            "chemistry" | "chemistry-cwu" | "CHEM-US" => Chemistry,
            "img" | "image" | "EMI" | "CUSTOM-CHARACTER" | "custom-character" => Image,
            "maths" | "math-cwu" | "MATH-US" => Maths,
            "math" => Math,
            "mfrac" => Fraction,
            "msup" | "mover" => Super,
            "msub" | "munder" => Sub,
            "msubsup" | "munderover" => SubSuper,
            "msqrt" => SquareRoot,
            "mroot" => Root,
            "mtr" | "mlabeledtr" => Row,
            "mtable" => Table,
            "mfenced" => Fenced,
            "annotation" | "annotation-xml" => Annotation,
            _ => Inline,
        }
    }

    pub fn of_attribute(name: &str) -> Role {
        match name {
            "open" => Open,
            "close" => Close,
            _ => Inline,
        }
    }

    /// The inverse of `as u32`; `Inline` for an invalid number.
    pub fn from_bits(bits: u32) -> Role {
        ALL.get(bits as usize).copied().unwrap_or(Inline)
    }
}
