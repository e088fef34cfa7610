"""Sentences made from dictionary words, in pairs: everyday language, which manuals and patents lack.

"A dog is chasing the ball." / "개가 공을 쫓고 있다." The words and their translations are the dictionaries'
own; how a teacher weighs subject, verb and object of such a sentence, and that particles and endings say
little, is what the model learns from them. A group is a sentence and variants of it, in which one word or
the form differs: their similarities are graded where those of sentences drawn by chance are all near 0.
"""

import random
import re
from collections import defaultdict

VARIANTS = 3
SHARES = {"ko": 0.5, "zh": 0.25, "ja": 0.25}
# Who most everyday sentences are about: (English, Korean, Japanese, Chinese)
PEOPLE = [
    ("man", "남자", "男性", "男人"), ("man", "남성", "男", "男子"), ("woman", "여자", "女性", "女人"), ("woman", "여성", "女", "女子"),
    ("boy", "소년", "少年", "男孩"), ("girl", "소녀", "少女", "女孩"), ("child", "아이", "子供", "孩子"), ("person", "사람", "人", "人"),
    ("people", "사람들", "人々", "人们"), ("baby", "아기", "赤ちゃん", "婴儿"), ("dog", "개", "犬", "狗"), ("cat", "고양이", "猫", "猫"),
]


def final_consonant(syllable):
    """Number of the consonant at a Hangul syllable's end (Unicode's composition), 0: none, None: no syllable."""
    code = ord(syllable) - 0xAC00
    return code % 28 if 0 <= code < 11172 else None


def particle(word, closed, opened):
    return word + (closed if final_consonant(word[-1]) else opened)


def ing(verb):
    head, _, rest = verb.partition(" ")
    if head.endswith("ie"):
        head = head[:-2] + "y"
    elif head.endswith("e") and not head.endswith(("ee", "oe", "ye")) and head != "be":
        head = head[:-1]
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", head):
        head += head[-1]
    return f"{head}ing {rest}".strip()


def plural(noun):
    if noun == "people" or noun.endswith("s"):
        return noun
    if noun in ("man", "woman"):
        return noun[:-2] + "en"
    if noun == "child":
        return "children"
    if re.search(r"[^aeiou]y$", noun):
        return noun[:-1] + "ies"
    return noun + ("es" if noun.endswith(("ch", "sh", "x", "z")) else "s")


def adnominal(stem):
    """Korean adjective before a noun: 예쁘 -> 예쁜, 쉽 -> 쉬운, 작 -> 작은, 있 -> 있는."""
    final = final_consonant(stem[-1])
    if final is None:
        return None
    if stem[-1] in "있없":
        return stem + "는"
    if final in (0, 8):  # none, or ㄹ, which falls out
        return stem[:-1] + chr(ord(stem[-1]) - final + 4)
    if final == 17 and stem[-1] not in "좁입잡":  # ㅂ becomes 우
        return stem[:-1] + chr(ord(stem[-1]) - 17) + "운"
    return stem + "은"


# (English, Korean, Japanese, Chinese); s, o: nouns; v: verb. A language without a form has None.
CLAUSES = [
    ("A {s} is {v.ing} a {o}.", "{s.subj} {o.obj} {v}고 있다.", "{s}が{o}を{v}している。", "一个{s}正在{v}{o}。"),
    ("A {s} is {v.ing} the {o}.", "한 {s.subj} {o.obj} {v}고 있다.", "{s}が{o}を{v}しています。", "{s}在{v}{o}。"),
    ("The {s} is {v.ing} {o.pl}.", "{s.topic} {o.obj} {v}고 있습니다.", "{s}は{o}を{v}している。", "{s}正在{v}{o}。"),
    ("There is a {s} {v.ing} a {o}.", "{o.obj} {v}고 있는 {s.subj} 있다.", "{o}を{v}している{s}がいる。", "有一个{s}在{v}{o}。"),
    ("The {s} was {v.ing} the {o}.", "{s.topic} {o.obj} {v}고 있었다.", "{s}は{o}を{v}していた。", "当时{s}正在{v}{o}。"),
    ("The {s} is not {v.ing} the {o}.", "{s.topic} {o.obj} {v}고 있지 않다.", "{s}は{o}を{v}していない。", "{s}没有在{v}{o}。"),
    ("The {s} did not {v} the {o}.", "{s.topic} {o.obj} {v}지 않았다.", "{s}は{o}を{v}しなかった。", "{s}没有{v}{o}。"),
    ("The {s} started to {v} the {o}.", "{s.topic} {o.obj} {v}기 시작했다.", "{s}は{o}を{v}し始めた。", "{s}开始{v}{o}。"),
    ("The {s} wants to {v} the {o}.", "{s.topic} {o.obj} {v}고 싶어 한다.", "{s}は{o}を{v}したい。", "{s}想要{v}{o}。"),
    ("Two {s.pl} are {v.ing} a {o}.", "두 {s.subj} {o.obj} {v}고 있다.", "二人の{s}が{o}を{v}している。", "两个{s}正在{v}{o}。"),
    ("The {s} has to {v} the {o}.", "{s.topic} {o.obj} {v}지 않으면 안 된다.", "{s}は{o}を{v}しなければならない。", "{s}必须{v}{o}。"),
    ("Can you {v} the {o}?", "{o.obj} {v}지 못합니까?", "{o}を{v}できますか。", "你能{v}{o}吗?"),
    ("{S} to {v} {o}", "{s}, {o} {v}기로", "{s}、{o}を{v}へ", "{s}将{v}{o}"),
    ("{S} {v.ing} {o.pl}", "{o.obj} {v}는 {s}", "{o}を{v}する{s}", "{v}{o}的{s}"),
]
PHRASES = [
    ("the {s} of the {o}", "{o}의 {s}", "{o}の{s}", "{o}的{s}"),
    ("{s} and {o}", "{s.also} {o}", "{s}と{o}", "{s}和{o}"),
    ("A {s} is in the {o}.", "{o}에 {s.subj} 있다.", "{o}に{s}がある。", "{o}里有一个{s}。"),
    ("A {s} on top of a {o}.", "{o} 위에 있는 {s}.", "{o}の上の{s}。", "{o}上的{s}。"),
    ("A {s} near the {o}.", "{o} 근처에 있는 {s}.", "{o}の近くの{s}。", "{o}附近的{s}。"),
    ("A {s} with a {o}.", "{o.obj} 가진 {s}.", "{o}を持った{s}。", "带着{o}的{s}。"),
    ("The {s} is not a {o}.", "{s.topic} {o.subj} 아니다.", "{s}は{o}ではない。", "{s}不是{o}。"),
    ("What is the difference between {s} and {o}?", "{s.also} {o}의 차이는 무엇입니까?", "{s}と{o}の違いは何ですか。", "{s}和{o}有什么区别?"),
    ("new {s} for {o}", "{o.obj} 위한 새로운 {s}", "{o}のための新しい{s}", "用于{o}的新{s}"),
    ("{S} in {o}", "{o}에서의 {s}", "{o}における{s}", "{o}中的{s}"),
]
LANGUAGES = ("en", "ko", "ja", "zh")


class Noun:
    """A noun, with an adjective before it or not, and what templates ask of it: particles, English plural."""

    def __init__(self, word, lang, adjective=None):
        gap = " " if lang in ("en", "ko") else ""
        before = f"{adjective}{gap}" if adjective else ""
        self.word, self.pl = before + word, before + plural(word)
        self.subj, self.topic = before + particle(word, "이", "가"), before + particle(word, "은", "는")
        self.obj, self.also = before + particle(word, "을", "를"), before + particle(word, "과", "와")

    def __str__(self):
        return self.word


class Verb:
    def __init__(self, word):
        self.word, self.ing = word, ing(word)

    def __str__(self):
        return self.word


class Lexicon:
    """English word -> its translations, by language, for nouns, verbs and adjectives."""

    def __init__(self, rows, frequency):
        """rows: (source, language, foreign, english); frequency: English word -> weight, 0 where unknown."""
        self.nouns, self.verbs, self.adjectives = (defaultdict(lambda: defaultdict(set)) for _ in range(3))
        glosses = [(lang, foreign.lstrip("^"), re.sub(r"\s*\([^)]*\)", "", english).strip()) for _, lang, foreign, english in rows]
        # the Chinese dictionary marks its verbs: "to chase"
        known = {m[1] for _, _, e in glosses for part in e.split(";") if (m := re.fullmatch(r"to ([a-z]{2,})", part.strip()))}
        described = {m[1] for lang, f, e in glosses if (m := re.fullmatch(r"([a-z]{3,})", e)) and self.is_adjective(lang, f) and e not in known}
        for lang, foreign, english in glosses:
            for part in english.split(";"):
                self._add(lang, foreign, part.strip(), known, described)
        self.weights = {}
        for name in ("nouns", "verbs", "adjectives"):
            for lang in SHARES:
                words = sorted(e for e, by in getattr(self, name).items() if by.get(lang) and frequency(e) > 0)
                self.weights[name, lang] = (words, [frequency(e) for e in words])

    @staticmethod
    def is_adjective(lang, foreign):
        return (lang == "ko" and foreign.endswith("다")) or (lang == "ja" and re.fullmatch(r"[一-鿿ぁ-ん]{1,4}い", foreign)) or (lang == "zh" and foreign.endswith("的"))

    def _add(self, lang, foreign, english, known, described):
        to = english.startswith("to ")
        word = english[3:] if to else english
        if not re.fullmatch(r"[a-z]{3,}", word):
            return
        if lang == "ko" and re.fullmatch(r"[가-힣]{2,6}", foreign):
            if foreign.endswith("다"):
                if word in known:
                    self.verbs[word][lang].add(foreign[:-1])
                elif adnominal(foreign[:-1]):
                    self.adjectives[word][lang].add(adnominal(foreign[:-1]))
            elif word not in described:
                self.nouns[word][lang].add(foreign)
        elif lang == "ko" and re.fullmatch(r"[가-힣]", foreign) and word not in described:
            self.nouns[word][lang].add(foreign)
        elif lang == "ja":
            if re.fullmatch(r"[一-鿿ァ-ヺー]{1,8}する", foreign) and word in known:
                self.verbs[word][lang].add(foreign[:-2])
            elif word in described and (foreign.endswith(("い", "な", "の"))):
                self.adjectives[word][lang].add(foreign)
            elif re.fullmatch(r"[一-鿿ァ-ヺーぁ-ん]{1,8}", foreign) and word not in described and not foreign.endswith(("い", "る", "く", "す", "う", "む", "な")):
                self.nouns[word][lang].add(foreign)
        elif lang == "zh" and re.fullmatch(r"[一-鿿]{1,5}", foreign):
            if to:
                self.verbs[word][lang].add(foreign)
            elif word in described:
                self.adjectives[word][lang].add(foreign if foreign.endswith("的") else foreign + "的")
            elif word not in known or len(foreign) > 1:
                self.nouns[word][lang].add(foreign)

    def draw(self, name, lang, rng):
        """(English, foreign): common words more often."""
        words, weights = self.weights[name, lang]
        english = rng.choices(words, weights)[0]
        return english, rng.choice(sorted(getattr(self, name)[english][lang]))


def fill(template, lang, subject, verb, object_):
    """The template in a language. subject, object_: (English, foreign, English adjective or None, foreign adjective)."""
    i = 0 if lang == "en" else 1
    s, v, o = Noun(subject[i], lang, subject[2 + i]), Verb(verb[i]), Noun(object_[i], lang, object_[2 + i])
    text = template[LANGUAGES.index(lang)]
    if lang == "en":
        text = re.sub(r"\b([Aa]) (?=\{(\w)\})", lambda m: ("An " if m[1] == "A" else "an ") if str({"s": s, "o": o}[m[2]])[0] in "aeiou" else m[1] + " ", text)
    return text.format(s=s, v=v, o=o, S=str(s)[:1].upper() + str(s)[1:])


def groups(lexicon, count, seed):
    """Yields (lang, [(foreign, english), …]): a sentence and its variants."""
    rng = random.Random(seed)
    languages = sorted(SHARES)
    for _ in range(count):
        lang = rng.choices(languages, [SHARES[l] for l in languages])[0]

        def noun(people=0.0):
            if rng.random() < people:
                person = rng.choice(PEOPLE)
                return (person[0], person[LANGUAGES.index(lang)], None, None)
            english, foreign = lexicon.draw("nouns", lang, rng)
            adjective = lexicon.draw("adjectives", lang, rng) if rng.random() < 0.15 else (None, None)
            return (english, foreign, *adjective)

        def verb():
            return lexicon.draw("verbs", lang, rng)

        forms = CLAUSES if rng.random() < 0.75 else PHRASES
        now = [noun(0.5), verb(), noun(), rng.choice(forms)]
        pairs = {}
        for _ in range(1 + VARIANTS):
            s, v, o, form = now
            pairs[fill(form, lang, s, v, o)] = fill(form, "en", s, v, o)
            # the next differs from the one before in one respect
            which = rng.choice((0, 1, 2, 3) if forms is CLAUSES else (0, 2, 3))
            now[which] = (noun(0.5), verb(), noun(), rng.choice(forms))[which] if which != 1 else verb()
        yield lang, list(pairs.items())
