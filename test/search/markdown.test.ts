import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { markdownOf } from '../../src/search/markdown.js';
import type { DocumentBody, DocumentHead } from '../../src/store/document.js';

/** Whether the image directly follows the paragraph, and is not in the list at the end. */
function isMentioned(label: string, text: string): boolean {
  const body = { description: [{ section: 'Drawings', paragraphs: [{ text }] }] } as unknown as DocumentBody;
  const shown = markdownOf({} as DocumentHead, body, [{ name: 'a.webp', label }] as never, ['description']);
  return !shown.includes('### Drawings\n\n![');
}

test('a drawing follows the text that names its label, with any spaces', () => {
  for (const text of ['See FIG. 1.', 'see Fig.1', 'fig 1 shows', 'FIG . 1']) {
    assert.ok(isMentioned('Fig. 1', text), text);
  }
  for (const text of ['See FIG. 12.', 'fig. 1a', 'config. 1 is', 'claim 1']) {
    assert.ok(!isMentioned('Fig. 1', text), text);
  }
  assert.ok(isMentioned('図1', '【図１】断面図である'));
  assert.ok(isMentioned('Fig. 2(a)', 'as in fig. 2 (a)'));
  assert.ok(!isMentioned('Fig. 2-3', 'fig. 2, 3'));
});

test('a label of full stops is matched in linear time', () => {
  const started = performance.now();
  assert.ok(!isMentioned(`Fig${' .'.repeat(20)} 1`, `fig${' '.repeat(50_000)}`));
  assert.ok(!isMentioned(`Fig${'.'.repeat(50_000)} 1`, 'fig. 1'));
  assert.ok(performance.now() - started < 5_000, `expected less than 5 s: ${performance.now() - started} ms`);
});

test('half a surrogate pair in the name of a drawing becomes U+FFFD in the link', () => {
  const shown = markdownOf({} as DocumentHead, {} as DocumentBody, [{ name: 'a\ud83d.webp' }] as never, [
    'description',
  ]);
  assert.ok(shown.includes('a%EF%BF%BD.webp)'), shown);
});

test('texts in other languages are shown if the record has none in its own', () => {
  const others = {
    abstracts: { en: 'A pump.' },
    translated_claims: { en: [{ number: 1, text: 'A pump with a rotor.' }] },
    descriptions: { en: [{ section: 'Field', paragraphs: [{ text: 'Pumps for water.' }] }] },
  };
  const of = (body: object) => markdownOf({} as DocumentHead, body as DocumentBody);
  assert.equal(
    of(others),
    '## Abstract\n\nA pump.\n\n## Claims\n\n**1.** A pump with a rotor.\n\n## Description\n\n### Field\n\nPumps for water.\n',
  );
  const own = {
    abstract: 'ポンプ。',
    claims: [{ number: 1, text: 'ロータを有するポンプ。' }],
    description: [{ section: '技術分野', paragraphs: [{ text: '水用のポンプ。' }] }],
  };
  assert.equal(of({ ...others, ...own }), of(own));
});
