/** Claims as a tree: a dependent claim stands under the claim on which it depends. */
import { useMemo } from 'preact/hooks';
import { type ClaimNode, claimsTree } from '../../model/claims-tree.js';
import type { ClaimText } from '../../model/document.js';
import { useTexts } from '../context.js';

/** Levels that are indented; deeper claims keep the indentation of the last. */
const LEVELS = 6;

interface Props {
  claims: readonly ClaimText[];
  language: string | undefined;
}

export function Claims({ claims, language }: Props) {
  const { patent: texts } = useTexts();
  const roots = useMemo(() => claimsTree(claims), [claims]);
  return (
    <section id="part-claims" tabIndex={-1} aria-labelledby="heading-claims">
      <h2 id="heading-claims">
        {texts.claims}{' '}
        {claims.length > 0 && <small class="soft">{texts.claimsCount(claims.length, roots.length)}</small>}
      </h2>
      {claims.length === 0 && <p class="soft">{texts.noText}</p>}
      <ol class="claims">
        {roots.map((root, n) => (
          <Claim key={n} node={root} language={language} level={0} />
        ))}
      </ol>
    </section>
  );
}

interface ClaimProps {
  node: ClaimNode;
  level: number;
  language: string | undefined;
}

function Claim({ node, level, language }: ClaimProps) {
  const { patent: texts } = useTexts();
  const { number, text, alsoOn, children } = node;
  return (
    <li class={level === 0 ? 'claim independent' : 'claim'}>
      <p class="prose claim-text">
        <span class="claim-number">{number}</span>
        <span lang={language}>
          {text}
          {alsoOn.length > 0 && <span class="soft"> ({texts.dependsAlso(alsoOn.join(', '))})</span>}
        </span>
      </p>
      {children.length > 0 && (
        <details open={level < LEVELS} class={level < LEVELS ? 'claim-children' : 'claim-children deep'}>
          <summary>{texts.dependents(children.length)}</summary>
          <ol>
            {children.map((child, n) => (
              <Claim key={n} node={child} language={language} level={level + 1} />
            ))}
          </ol>
        </details>
      )}
    </li>
  );
}
