/**
 * Characters in the ASCII spelling of the US full text until 2001 and of the BRS system since then:
 * `.alpha.`, `10.sup.6`, `SiO.sub.2`, `{umlaut over (u)}`. Source: USPTO, Patent Full Text (APS)
 * documentation, appendix of special characters.
 */

const LETTERS =
  'alpha=α beta=β gamma=γ delta=δ epsilon=ε zeta=ζ eta=η theta=θ iota=ι kappa=κ lambda=λ lamda=λ mu=μ nu=ν xi=ξ ' +
  'omicron=ο pi=π rho=ρ sigma=σ tau=τ upsilon=υ phi=φ chi=χ psi=ψ omega=ω GAMMA=Γ DELTA=Δ THETA=Θ LAMBDA=Λ ' +
  'XI=Ξ PI=Π SIGMA=Σ UPSILON=Υ PHI=Φ PSI=Ψ OMEGA=Ω';
const SIGNS =
  'degree=° times=× +-=± -+=∓ ltoreq=≤ gtoreq=≥ noteq=≠ ident=≡ apprxeq=≈ about=~ infin=∞ ' +
  // A forward arrow points to the right, a rearward one to the left.
  'fwdarw=→ rarw=← rarrw=→ larw=← dwnarw=↓ uparw=↑ revreaction=⇌ sctn=§ paragraph=¶ div=÷ multidot=· ' +
  'circle-solid=● square-solid=■ quadrature=□ largecircle=○ box-solid=■ angle=∠ perp=⊥ parallel=∥ ' +
  'intg=∫ differential=∂ gradient=∇ sqroot=√ varies=∝ dagger=† dbldagger=‡ RTM=® TM=™ ' +
  'COPYRGT=© cent=¢ Yen=¥ ANG=Å Angstrom=Å SM=℠ permill=‰ prime=′ cndot=• ' +
  'sym=⊕ crclbar=⊖ dbd== tbd=≡ approxeq=≈ congruent=≅ gtorsim=≳ ltorsim=≲ notident=≢ thrfore=∴ ' +
  'andgate=∩ orgate=∪ smallcircle=∘ diamond=⋄ dagger-dbl=‡ vertline=| female=♀ male=♂';
/** Marks of a reissue around what is new. */
const ADDED = 'Iadd= Iaddend=';

const CODES = new Map(
  `${LETTERS} ${SIGNS} ${ADDED}`
    .trim()
    .split(/\s+/)
    .map((entry): [string, string] => {
      const at = entry.indexOf('=');
      return [entry.slice(0, at), entry.slice(at + 1)];
    }),
);

/** Combining marks of `{… over (x)}`. */
const OVER: Record<string, string> = {
  ...{ acute: '\u0301', grave: '\u0300', circumflex: '\u0302', tilde: '\u0303', umlaut: '\u0308' },
  ...{ macron: '\u0304', breve: '\u0306', dot: '\u0307', ring: '\u030a', caron: '\u030c', cedilla: '\u0327' },
};

/** Replaces the codes of a text by their characters. Unknown codes stay. */
export function dotCodesRead(text: string): string {
  if (!/[.{]/.test(text)) return text;
  return (
    text
      .replace(/\{(\w+) over \((\w)\)\}/g, (all, mark: string, letter: string) =>
        OVER[mark] === undefined ? all : `${letter}${OVER[mark]}`.normalize('NFC'),
      )
      .replace(/\.sup\.(?=[-+−]?\d)/g, '^')
      .replace(/\.su[pb]\.(?=\S)/g, '')
      // What a reissue deletes is printed in heavy brackets.
      .replace(/\.([[\]])\./g, '$1')
      .replace(/\.([A-Za-z+][A-Za-z+-]*|[+-]{2})\./g, (all, code: string) => CODES.get(code) ?? all)
  );
}
