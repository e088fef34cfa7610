"""
Spellings of the same word: British and American English; loanwords that Korean patents spell in several ways, 컨트롤러 and 콘트롤러;
Japanese verbal nouns with and without okurigana, 取り付け and 取付; katakana words with and without a long vowel at their end.
"""

import re
from collections import defaultdict

# American spellings, and the British ones.
WORDS = dict(pair.split() for pair in """
    color colour,colored coloured,aluminum aluminium,center centre,vapor vapour,mold mould,molding moulding,molded moulded,tire tyre,
    odor odour,flavor flavour,armor armour,plow plough,analyzer analyser,gray grey,pajamas pyjamas,hydrolyzed hydrolysed,
    catalyzer catalyser,tumor tumour,edema oedema,diarrhea diarrhoea,fetal foetal,cesium caesium,airplane aeroplane,curb kerb,
    caliber calibre,modeling modelling,signaling signalling,labeling labelling,leveling levelling,tunneling tunnelling,analog analogue,
    catalog catalogue,disk disc,gage gauge,jewelry jewellery,yogurt yoghurt,maneuver manoeuvre,defense defence,neighbor neighbour,
    behavior behaviour,carburetor carburettor,artifact artefact,feces faeces,fecal faecal,caliper calliper,edematous oedematous,
    fetus foetus,celiac coeliac,cecum caecum,coloring colouring,colorant colourant,colorless colourless,discoloration discolouration,
    decolorization decolourisation,behavioral behavioural,harbor harbour,rigor rigour,luster lustre,theater theatre,moldable mouldable,
    molder moulder,plowing ploughing,channeling channelling,traveling travelling,canceling cancelling,paneling panelling,
    refueling refuelling,enameled enamelled,catalyze catalyse,catalyzed catalysed,hydrolyze hydrolyse,electrolyzer electrolyser,
    dialyzer dialyser
""".split(","))
# Parts of words, with what the other spelling has instead.
TO_BRITISH = [(re.compile(part), other) for part, other in (
    (r"(?<=\w{4})ization", "isation"),
    # `stabilizer` and `ionizing`, but not `oversized`.
    (r"(?<=\w{3})(?<!s)iz(?=(?:er|ers|ing|ed)$)", "is"),
    ("sulf", "sulph"),
    ("fiber", "fibre"),
    ("^hem(?=o|at)", "haem"),
    ("^(?=esophag|estr[aio])", "o"),
    ("^gynec", "gynaec"),
    ("^pediatr", "paediatr"),
    ("^anesth", "anaesth"),
    ("orthoped", "orthopaed"),
    (r"(?<=\w[^d])emia$", "aemia"),
    ("(?<=centi|micro|milli)meter|(?<=kilo|nano)meter", "metre"),
    ("liter(?=s?$)", "litre"),
)]
TO_AMERICAN = [(re.compile(part), other) for part, other in (
    (r"(?<=\w{4})isation", "ization"),
    ("sulph", "sulf"),
    ("fibre", "fiber"),
    ("^haem(?=o|at)", "hem"),
    ("^o(?=esophag|estr[aio])", ""),
    ("^gynaec", "gynec"),
    ("^paediatr", "pediatr"),
    ("anaesth", "anesth"),
    ("orthopaed", "orthoped"),
    ("aemia$", "emia"),
    ("(?<=centi|micro|milli)metre|(?<=kilo|nano)metre", "meter"),
    ("litre(?=s?$)", "liter"),
)]
# The long vowel at the end of a katakana word of four characters or more. A text that holds the word without it is found by both.
LONG_VOWEL = re.compile("(?<=[ァ-ヺー]{3})ー$")
KANA = re.compile("[ぁ-ゖァ-ヺ]")
# A longer spelling is seldom a part of another word by chance.
SHORT_KATAKANA = 3
KATAKANA_BEFORE, KATAKANA_AFTER = re.compile("[ァ-ヺー]+$"), re.compile("^[ァ-ヺー]+")
# Groups whose translations a Korean variant has, at most: the first that hold the usual spelling.
MOST_SENSES = 2


def spelled(word, words, parts):
    if word.lower() in words:
        return words[word.lower()]
    for part, other in parts:
        word = part.sub(other, word)
    return word


def other_english(term):
    """A term in British and American spelling, as far as it has another one."""
    words = re.split("([ -])", term)
    for known, parts in ((WORDS, TO_BRITISH), ({british: american for american, british in WORDS.items()}, TO_AMERICAN)):
        other = "".join(spelled(word, known, parts) for word in words)
        if other != term:
            yield other
    # `polylactic acid` is also written `poly(lactic acid)`.
    if re.match(r"poly[a-z]{3,} \w", term):
        yield f"poly {term[4:]}"


class Spellings:
    """`folder` has ko.tsv, a word and its variants, and ja.tsv, all spellings of a word, the best first."""

    def __init__(self, folder):
        self.korean = {}
        for line in (folder / "ko.tsv").read_text("utf-8").splitlines():
            word, variants = line.split("\t")
            self.korean[word] = variants.split("|")
        self.japanese = [line.split("|") for line in (folder / "ja.tsv").read_text("utf-8").splitlines()]
        self.by_spelling = {spelling: spellings for spellings in self.japanese for spelling in spellings}
        self.known = set()

    def groups(self, others):
        """
        Further groups, with marks. A Korean variant is only looked up in those of other languages: few translations of a term into
        one language are used. `others` are the groups that there are.
        """
        holding = defaultdict(list)
        for group in others:
            for member in group:
                holding[member].append(group)
        self.known = {term for language, term in holding if language == "ja"}
        for word, variants in self.korean.items():
            for group in holding["ko", word][:MOST_SENSES]:
                rest = [("ko", word), *(member for member in group if member != ("ko", word))]
                yield from (("one-way", [("ko", variant), *rest]) for variant in variants)
        for word, variants in self.korean.items():
            # One of two syllables stands in other words: 나트 of 너트 (nut) in 나트륨 (sodium).
            long = [("ko", other) for other in variants if len(other) > 2]
            if long:
                yield "synonyms", [("ko", word), *long]
        yield from (("synonyms", [("ja", spelling) for spelling in spellings]) for spellings in self.japanese)

    def added(self, group):
        """A group with other spellings of its English and Japanese terms: behind all of the same language."""
        found = list(group)
        for language, others in (("en", other_english), ("ja", self.other_japanese)):
            own = [term for other, term in group if other == language]
            new = [(language, other) for term in own for other in others(term) if other not in own]
            if new:
                at = max(n for n, (other, _) in enumerate(found) if other == language) + 1
                found[at:at] = dict.fromkeys(new)
        return found

    def other_japanese(self, term):
        """Terms with a word in another spelling: 切り替え弁 for 切替弁. Call `groups` first."""
        if LONG_VOWEL.search(term):
            yield LONG_VOWEL.sub("", term)
        parts = {term[n:end] for n in range(len(term)) for end in range(n + 2, len(term) + 1)}
        spelled = sorted(parts & self.by_spelling.keys())
        for spelling in spelled:
            # 引出 of 引出し is no word of its own.
            if any(spelling in other and other != spelling for other in spelled):
                continue
            # Without kana, it may be across two words within a term: 組立 of 骨組 and 立体.
            if not KANA.search(spelling) and not term.startswith(spelling) and not term.endswith(spelling):
                continue
            if self.is_word(term, spelling):
                yield from (term.replace(spelling, other) for other in shortest(self.by_spelling[spelling]) if other != spelling)

    def is_word(self, term, spelling):
        """Whether katakana beside a short spelling in katakana is a known word: ネジ is one of ボールネジ, and none of マネジメント."""
        if len(spelling) > SHORT_KATAKANA:
            return True
        # スパ is known, too.
        if spelling == "イス" and "スパイス" in term:
            return False
        before, _, after = term.partition(spelling)
        beside = []
        if KATAKANA_AFTER.match(spelling):
            beside.append(KATAKANA_BEFORE.search(before))
        if KATAKANA_BEFORE.search(spelling):
            beside.append(KATAKANA_AFTER.match(after))
        return all(found is None or found[0] in self.known for found in beside)


def shortest(spellings):
    """Those that do not contain another one: a text with 取付け holds 取付."""
    return [own for own in spellings if not any(other != own and other in own for other in spellings)]
