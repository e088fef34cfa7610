/** Common properties of all rerankers. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { openStaticModel } from '../../src/embed/static.js';
import { FIT, FIT_LONGER, type FitByLength, SHORT_PIECES } from '../../src/rerank/fit.js';
import { staticReranker } from '../../src/rerank/late-interaction.js';
import type { RerankDocument, Reranker } from '../../src/rerank/reranker.js';
import { MODEL, noModel } from '../embed/model-file.js';
import fc from '../property.js';

const passages = (...texts: string[]): RerankDocument => ({ title: '', abstract: '', passages: texts });

function keepsToTheInterface(open: () => Reranker): void {
  const reranker = open();
  after(() => reranker.close());

  it('ranks the passage with the answer first', async () => {
    const { documents, passages: each } = await reranker.score('cooling battery cells during fast charging', [
      passages('The method of claim 1, wherein the method further comprises a step.'),
      passages(
        'The housing is made of aluminium.',
        'A coolant flows between the battery cells and cools them during fast charging.',
      ),
    ]);
    assert.equal(documents.length, 2);
    assert.equal(each.length, 3);
    assert.ok(documents[1]! > documents[0]!, `expected a higher score of the second document: ${documents}`);
    assert.ok(
      each[2]! > each[1]! && each[2]! > each[0]!,
      `expected the highest score of the third passage: ${each}`,
    );
  });

  it('gives the same scores for any order of the documents, and finite numbers for any text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('battery', '전지', '電池', '', '\ud800'),
    );
    const document = fc.record({ title: text, abstract: text, passages: fc.array(text, { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(text, fc.array(document, { maxLength: 5 }), async (query, candidates) => {
        const forward = await reranker.score(query, candidates);
        const backward = await reranker.score(query, candidates.toReversed());
        assert.equal(forward.passages.length, candidates.flatMap((c) => c.passages).length);
        for (const [n, score] of forward.documents.entries()) {
          assert.ok(Number.isFinite(score), `expected a finite score: ${score}`);
          assert.ok(
            Math.abs(score - backward.documents[candidates.length - 1 - n]!) < 1e-5,
            `expected the score ${backward.documents[candidates.length - 1 - n]} in the other order: ${score}`,
          );
        }
        assert.ok(forward.passages.every(Number.isFinite));
      }),
    );
  });

  it('accepts an empty list, and a question if it has no words', async () => {
    assert.equal((await reranker.score('battery', [])).documents.length, 0);
    const { documents } = await reranker.score('…', [passages('battery'), passages('housing')]);
    assert.equal(documents[0], documents[1]);
  });
}

describe('late interaction by pieces', { skip: noModel }, () => {
  keepsToTheInterface(() => staticReranker(openStaticModel(MODEL)));

  it('uses title and abstract in the score of a passage', async () => {
    const reranker = staticReranker(openStaticModel(MODEL));
    const plain = { title: '', abstract: '', passages: ['The method of claim 1.'] };
    const { documents } = await reranker.score('solid electrolyte battery', [
      plain,
      { ...plain, title: 'Solid electrolyte battery' },
      { ...plain, abstract: 'A battery has a solid electrolyte.' },
    ]);
    assert.ok(
      documents[1]! > documents[0]! && documents[2]! > documents[0]!,
      `expected the lowest score of the first document: ${documents}`,
    );
    reranker.close();
    assert.throws(() => reranker.score('x', []), /closed/);
  });

  it('scores questions of a few pieces and longer ones by their own shares', async () => {
    const model = openStaticModel(MODEL);
    const pieces = (text: string) => model.tokenize([text]).ids.length;
    const [short, longer] = [
      'solid electrolyte',
      'a battery with a solid electrolyte between two electrodes',
    ];
    assert.ok(pieces(short) <= SHORT_PIECES && pieces(longer) > SHORT_PIECES);
    const documents = [{ ...passages('An electrolyte'), title: 'Solid electrolyte battery' }];
    const by = async (fits?: FitByLength) => {
      const of = (question: string) => staticReranker(model, fits).score(question, documents);
      return [(await of(short)).documents[0], (await of(longer)).documents[0]];
    };
    const [served, asShort, asLonger] = [
      await by(),
      await by({ short: FIT, longer: FIT }),
      await by({ short: FIT_LONGER, longer: FIT_LONGER }),
    ];
    assert.deepEqual(served, [asShort[0], asLonger[1]]);
    assert.notEqual(asShort[0], asLonger[0]);
    assert.notEqual(asShort[1], asLonger[1]);
    model.close();
  });
});
