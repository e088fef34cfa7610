use super::*;
use proptest::prelude::*;

const SKIP: Format = Format { skip: &["skip"], empty: &[] };

/// Writes the tree as XML, with the stored names.
fn written(tree: &Tree) -> String {
    fn write(view: View, tree: &Tree, index: u32, out: &mut String) {
        let row = &tree.nodes[index as usize * NODE..][..NODE];
        if row[0] == TEXT {
            out.push_str(std::str::from_utf8(&tree.text[row[2] as usize..row[3] as usize]).unwrap());
            return;
        }
        let name = |id: u32| &tree.names[(id & ((1 << NAME_BITS) - 1)) as usize];
        out.extend(["<", name(row[0])]);
        for entry in
            tree.attributes[row[2] as usize * ATTRIBUTE..row[3] as usize * ATTRIBUTE].chunks(ATTRIBUTE)
        {
            let value = std::str::from_utf8(&tree.text[entry[1] as usize..entry[2] as usize]).unwrap();
            *out += &format!(" {}={value:?}", name(entry[0]));
        }
        out.push('>');
        view.children(index).for_each(|child| write(view, tree, child, out));
        out.extend(["</", name(row[0]), ">"]);
    }
    let (mut out, mut at) = (String::new(), 0);
    while (at as usize) < tree.nodes.len() / NODE {
        write(tree.view(), tree, at, &mut out);
        at = tree.view().next(at);
    }
    out
}

fn parsed(source: &str) -> String {
    written(&parse(source, SKIP, Limits::default()).unwrap())
}

fn damage(source: &str) -> String {
    parse(source, SKIP, Limits::default()).unwrap_err().0
}

#[test]
fn reads_what_documents_are_made_of() {
    assert_eq!(parsed("\u{feff}<?xml version='1.0'?>\n<a b='1' c=\"2\"/>\n\0\0"), "<a b=\"1\" c=\"2\"></a>");
    assert_eq!(
        parsed("<!DOCTYPE a SYSTEM 'x>' [<!ENTITY b ']>'><!-- ' --><?x ' ?>]><a>&b;</a>"),
        "<a>&b;</a>"
    );
    assert_eq!(parsed("<x:a x:b='1'><c:d/></x:a>"), "<a x:b=\"1\"><d></d></a>");
    assert_eq!(
        parsed("<a>1<!-- <b> -->2<?p <b>?>3<![CDATA[<b>&amp;]] ]>]]>4</a>"),
        "<a>123<b>&amp;]] ]>4</a>"
    );
    assert_eq!(parsed("<a>1</a> between <b>2<c/>3</b>"), "<a>1</a><b>2<c></c>3</b>");
    assert_eq!(parsed("<a>1\r\n2\r3</a\n>"), "<a>1\n2\n3</a>");
    assert_eq!(parsed("<a b='1\r\n2\t&#10;'/>"), "<a b=\"1 2 \\n\"></a>");
}

#[test]
fn references_stand_for_their_characters_or_for_themselves() {
    assert_eq!(parsed("<a>&lt;&amp;&#65;&#x2009;&alpha;&nGt;</a>"), "<a><&A\u{2009}α≫\u{20d2}</a>");
    for left in
        ["&", "AT&T;", "&none;", "& amp;", "&#0;", "&#xd800;", "&#x110000;", "&#;", "&;", "a < b", "&#+5;"]
    {
        assert_eq!(parsed(&format!("<a>{left}</a>")), format!("<a>{left}</a>"));
    }
    assert_eq!(parsed("<a b='x & < y; &x;&lt;&#0;'/>"), "<a b=\"x & < y; &x;<&#0;\"></a>");
    // A stray `<` is a text up to the next `<` or `&`; a byte order mark after it stays.
    assert_eq!(
        parsed("<a>1 < \u{feff}2 < 3\r\n<<b/>< &lt;=<</a>"),
        "<a>1 < \u{feff}2 < 3\n<<b></b>< <=<</a>"
    );
    assert_eq!(parsed("\u{feff}\u{feff}<a>AT&T; & b\r\n&c d;</a>"), "<a>AT&T; & b\n&c d;</a>");
}

#[test]
fn leaves_out_what_is_skipped() {
    assert_eq!(parsed("<a>1<skip><skip/>2<b>3</b></skip>4<x:skip/>5</a>"), "<a>145</a>");
    assert!(damage("<a><skip><b></skip></a>").contains("</skip> found; expected the end of <b> of line 1"));
}

#[test]
fn knows_what_sgml_leaves_empty() {
    let format = Format { skip: &["skip"], empty: &["EMI", "skip"] };
    let tree = parse("<a>1<EMI F='2'>3<EMI/>4<EMI></EMI>5<skip>6</a>", format, Limits::default()).unwrap();
    assert_eq!(written(&tree), "<a>1<EMI F=\"2\"></EMI>3<EMI></EMI>4<EMI></EMI>56</a>");
}

#[test]
fn says_where_it_is_damaged() {
    assert_eq!(damage("<a>\n<b>é</c>"), "line 2, column 5: </c> found; expected the end of <b> of line 2");
    for (source, reason) in [
        ("", "line 1, column 1: the document has no element"),
        ("<a>", "the document ends before </a>"),
        ("<a", "the document ends within <a>"),
        ("<a b", "the document ends within <a>"),
        ("<a b='", "line 1, column 1: the document ends within <a>"),
        ("<a b>", "line 1, column 5: the attribute b of <a> has no value"),
        ("<a b c=''>", "the attribute b of <a> has no value"),
        ("<a b = >", "the attribute b of <a> has a value that is not in quotes"),
        ("<a b=1>", "line 1, column 6: the attribute b of <a> has a value that is not in quotes"),
        ("<a b='1'c='2'/>", "line 1, column 9: 'c' is out of place in <a>"),
        ("<a é& c='2'/>", "line 1, column 5: '&' is out of place in <a>"),
        ("<a 1='2'/>", "line 1, column 4: '1' is out of place in <a>"),
        ("<a ='2'/>", "'=' is out of place in <a>"),
        ("<a b='1' b = '2'/>", "the attribute b of <a> is there twice"),
        ("<a/ >", "line 1, column 3: '/' is out of place in <a>"),
        ("<a<b>", "line 1, column 3: '<' is out of place in <a>"),
        ("</a>", "</a> found; no element is open"),
        ("<a></>", "</> found; expected the end of <a> of line 1"),
        ("<a></a", "the document ends within </a>"),
        ("<a></a b>", "line 1, column 7: </a is not closed"),
        ("<a><!-- ", "a comment is not closed"),
        ("<a><![CDATA[ ]]", "a CDATA section is not closed"),
        ("<a><?x ", "a processing instruction is not closed"),
        ("<!DOCTYPE a [", "a document type is not closed"),
        ("<a><!DOCTYPE a></a>", "<! found; expected a comment"),
        ("<a><!x></a>", "<! found; expected a comment"),
        ("\u{feff}<a>1 < 2 & 3 < 4\n</b>", "line 2, column 1: </b> found"),
    ] {
        assert!(damage(source).contains(reason), "{source}: {}", damage(source));
    }
}

#[test]
fn is_bounded() {
    let limits = Limits { bytes: 1000, depth: 4, elements: 10, names: 3, faults: 5 };
    let reason = |source: &str| parse(source, Format::default(), limits).unwrap_err().0;
    assert!(reason(&"<a>".repeat(5)).contains("nested deeper than 4"));
    assert!(reason(&"<a/>".repeat(11)).contains("more than 10 elements"));
    assert!(reason("<a/><b/><c/><d/>").contains("more than 3 names"));
    assert!(reason("<a>&x;&x;\u{1}\u{2}\u{3}\u{4}</a>").contains("more than 5 invalid characters"));
    assert!(reason(&" ".repeat(1001)).contains("more than 1000 bytes"));
    let many: String = (0..50_000).map(|at| format!(" a{at}='1'")).collect();
    assert!(parse(&format!("<a{many}/>"), Format::default(), Limits::default()).is_ok());
    assert!(parse(&format!("<a{many} a7=''/>"), Format::default(), Limits::default()).is_err());
}

fn text_of(inner: &str) -> String {
    readable(
        parse(&format!("<p>{inner}</p>"), Format::default(), Limits::default()).unwrap().view(),
        0,
        false,
    )
}

#[test]
fn makes_markup_readable() {
    for (inner, text) in [
        (" a\n <b> b </b>c\u{a0}\u{2009}d ", "a b c d"),
        ("x<sup> 2</sup> Li<sup>+</sup> y<sup>-1</sup> z<sub>i</sub>", "x^2 Li+ y^-1 zi"),
        ("of:<ul><li>a</li><li> b </li></ul>and", "of:\na\nb\nand"),
        ("<row><entry>a<br/>b</entry><entry>c</entry><entry/></row><row><entry/></row>", "a b | c"),
        ("1<maths><img/></maths>2<chemistry><img/></chemistry>3<img/>", "1 [formula] 2\n[chemical structure]\n3[image]"),
        ("<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>", "(a + b)/2"),
        ("<maths><math/><img/></maths>", "[formula]"),
        ("of <dependent-claim-reference>\n<claim-text>claim 1</claim-text>\n</dependent-claim-reference>, so", "of claim 1, so"),
        ("<math><mfenced open='['><mi>a</mi><mi>b</mi></mfenced><msqrt><mi>x</mi></msqrt></math>", "[a, b) √(x)"),
        ("<math><mo>(</mo><mi>x</mi><mo>)</mo><mtable><mtr><mn>1</mn></mtr><mtr><mn>2</mn></mtr></mtable></math>", "(x) 1; 2"),
    ] {
        assert_eq!(text_of(inner), text, "{inner}");
    }
    let tree =
        parse("<r><table><td>1</td><td>2</td></table>3</r>", Format::default(), Limits::default()).unwrap();
    assert_eq!(readable(tree.view(), 1, true), "1 | 2");
    // A border at the end of a row is dropped; a bar at the end of a formula is kept.
    assert_eq!(text_of("<math><mo>|</mo><mi>x</mi><mo>&#xF604;</mo></math>"), "| x |");
    assert_eq!(text_of("<table><td>|a|</td><td></td></table>b"), "|a|\nb");
    assert_eq!(plain(tree.view(), 0), "123");
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        proptest::sample::select(vec![
            "<a>",
            "</a>",
            "<b c='1'>",
            "</b>",
            "<d/>",
            "<math>",
            "</math>",
            "<mfrac>",
            "</mfrac>",
            "<row>",
            "</row>",
            "<entry>",
            "</entry>",
            "<![CDATA[",
            "]]>",
            "<!--",
            "-->",
            "<?x",
            "?>",
            "&amp;",
            "&#x41;",
            "&x;",
            "&",
            "<",
            ">",
            "'",
            "\"",
            "=",
            " ",
            "\r\n",
            "\u{e000}",
            "é",
            "電",
            "\u{1}",
            "<!DOCTYPE x [",
            "]>",
            "/",
            "<sup>",
            "</sup>",
            "<skip>",
            "</skip>",
        ])
        .prop_map(str::to_owned),
        "\\PC{0,4}",
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn gives_a_sound_tree_or_damage(inner in pieces(), wrapped: bool) {
        let source = if wrapped { format!("<r>{inner}</r>") } else { inner };
        if let Ok(tree) = parse(&source, SKIP, Limits::default()) {
            let count = (tree.nodes.len() / NODE) as u32;
            prop_assert_eq!(tree.nodes.len() % NODE, 0);
            prop_assert!(std::str::from_utf8(&tree.text).is_ok());
            let mut last_text = 0;
            for (at, row) in tree.nodes.chunks(NODE).enumerate() {
                prop_assert!(row[1] > at as u32 && row[1] <= count);
                prop_assert!(row[2] <= row[3]);
                if row[0] == TEXT {
                    prop_assert!(row[2] >= last_text && row[3] as usize <= tree.text.len());
                    last_text = row[3];
                }
            }
            // Children cover their parent without gaps.
            for at in 0..count {
                let last = tree.view().children(at).last();
                prop_assert!(last.is_none_or(|last| tree.view().next(last) == tree.view().next(at)));
                let text = readable(tree.view(), at, true);
                prop_assert_eq!(text.trim(), text.as_str());
                prop_assert!(!text.contains("\n\n") && !text.contains("  "));
            }
            prop_assert!(!tree.names.iter().any(|name| name == "skip"));
        }
    }

    #[test]
    fn a_made_up_tree_is_read_without_harm(
        nodes in proptest::collection::vec(prop_oneof![0u32..20, any::<u32>(), (0u32..24).prop_map(|r| r << 24)], 0..80),
        attributes in proptest::collection::vec(0u32..40, 0..12),
        text: Vec<u8>,
        index in 0u32..30,
    ) {
        let view = View { nodes: &nodes, attributes: &attributes, text: &text };
        readable(view, index, true);
        plain(view, index);
    }
}
