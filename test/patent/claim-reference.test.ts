import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { isFailure, openSources } from '../../src/ingest/source.js';
import { claimsReferredTo } from '../../src/patent/claim-dependence.js';

describe('references of a claim', () => {
  const cases: [string, number[]][] = [
    ['The hinge of claim 1, wherein the pin is of steel.', [1]],
    ['A hinge according to claim 1 or 2, having 4 pins.', [1, 2]],
    ['A hinge as claimed in any one of claims 1 to 3.', [1, 2, 3]],
    ['The method of any of claims 1, 3 and 5-7', [1, 3, 5, 6, 7]],
    ['Use of the bag of claim 1 with 2 grades.', [1]],
    ['Scharnier nach Anspruch 1, wobei 2 Stifte vorhanden sind.', [1]],
    ['Lastenrad mit einem Spanner nach einem der Ansprüche 1 bis 3.', [1, 2, 3]],
    ["Vélo selon l'une des revendications 1 et 2.", [1, 2]],
    ['Filtre selon la revendication 1, le tamis (2) étant revêtu.', [1]],
    ['前記蓋が透明である、請求項１に記載の弁当箱。', [1]],
    ['請求項１又は２に記載の装置。', [1, 2]],
    ['請求項１から請求項４のいずれか１項に記載の装置。', [1, 2, 3, 4]],
    ['請求項１乃至３のいずれか一項に記載の装置。', [1, 2, 3]],
    ['根据权利要求1所述的充电枪，其特征在于，包括3个盖。', [1]],
    ['如权利要求1或2所述的方法。', [1, 2]],
    ['根据权利要求1至3中任一项所述的方法。', [1, 2, 3]],
    ['제1항에 있어서,\n온도가 40℃인 김 건조대.', [1]],
    ['제 1 항에 있어서, 상기 R기가 메틸인 조성물.', [1]],
    ['제1항 내지 제3항 중 어느 한 항에 있어서, 장치.', [1, 2, 3]],
    ['제1항 내 지 제5항 중 어느 한 항에 있어서, 장치.', [1, 2, 3, 4, 5]],
    ['제 1 항 내\n지 제 3 항 중 어느 한 항에 있어서, 장치.', [1, 2, 3]],
    ['제1항 또 는 제3항에 있어서, 장치.', [1, 3]],
    ['청 구항 2에 있어서, 장치.', [2]],
    ['청구항 1 또는 청구항 2에 있어서, 장치.', [1, 2]],
    ['제 1 항, 제 4 항 내지 제 6 항 중 어느 한 항에 있어서, 후크를 더 포함하는 밴드.', [1, 4, 5, 6]],
    ['제1 항원 결합 도메인 및 제2 항원 결합 도메인을 포함하는 항체.', []],
    ['제1항체와 제2항체를 포함하는 키트.', []],
    ['제1항목과 제2항목을 표시하는 장치.', []],
    ['제 3 항균층을 포함하는 필터.', []],
    ['제1항에 있어서, 상기 제2 항체가 결합하는 제3 항원을 포함하는 항체.', [1]],
    ['제1항 및 제2 항체.', [1]],
    ['제1항 내지 제3항중 어느 한 항에 따른 장치.', [1, 2, 3]],
    ['제1항과 제3항을 포함하는 장치.', [1, 3]],
    ['제2항또는 제3항으로부터 선택되는 장치, 제4항있어서, 제5항이나 제6항의 장치.', [2, 3, 4, 5, 6]],
    ['A hinge according to claim 1, 2, or 3, with a pin.', [1, 2, 3]],
    ['The hinge of claims 1, and 3—5.', [1, 3, 4, 5]],
    ['The hinge of claims 2‑4 or 6−7.', [2, 3, 4, 6, 7]],
    ['A hinge according to the first or second claim.', [1, 2]],
    ['The hinge as claimed in any of the first, second, or fourth claims.', [1, 2, 4]],
    ['A method of paying the second claim of an insurance, according to claim 1.', [1]],
    ['A method of paying the first or second claim of an insurance.', []],
    ['Scharnier nach Anspruch 1 und/oder 3.', [1, 3]],
    ['請求項１および３に記載の装置。', [1, 3]],
    ['請求項１、２、及び４に記載の装置。', [1, 2, 4]],
    ['根据权利要求1—3中任一项所述的方法。', [1, 2, 3]],
    ['如权利要求1到3中任一项所述的方法。', [1, 2, 3]],
    ['如权利要求1、2或者4所述的方法。', [1, 2, 4]],
    ['제2-5항 중 어느 한 항에 있어서, 장치.', [2, 3, 4, 5]],
    ['제1~3항, 제5~6항, 및 제8항 중 어느 한 항에 있어서, 장치.', [1, 2, 3, 5, 6, 8]],
    ['제1,2,4,5항 중 어느 한 항의 장치.', [1, 2, 4, 5]],
    ['제1, 2 또는 4항에 있어서, 장치.', [1, 2, 4]],
    ['제 1 내지 제7 항 중 어느 한 항에 있어서, 장치.', [1, 2, 3, 4, 5, 6, 7]],
    ['제1항∼제3항 중 어느 한 항에 있어서, 장치.', [1, 2, 3]],
    ['제1항부터 제3항까지 중 어느 한 항에 있어서, 장치.', [1, 2, 3]],
    ['제1 내지 제3 항원을 포함하는 조성물.', []],
    ['제1 및 제2 단계를 포함하는, 제3항의 방법.', [3]],
    ['제1, 제2 및 제3 항체를 포함하는 키트.', []],
    ['A hinge, comprising 3 pins and a plate 12.', []],
    ['傘を受ける溝と、送風部と、を備える傘乾燥装置。', []],
  ];
  for (const [text, expected] of cases) {
    it(text, () => assert.deepEqual(claimsReferredTo(text, 9), expected));
  }

  const all = [1, 2, 3];
  const preceding: [string, number[]][] = [
    ['A hinge according to any of the preceding claims, with 4 pins.', all],
    ['The hinge of any previous claim.', all],
    ['A system comprising a hinge of one or more of the foregoing claims.', all],
    ['The hinge of the preceding claim.', [3]],
    ['The hinge of preceding claim 2.', [2]],
    ['The method of any of the claims shown in claim 1', [1]],
    ['Scharnier nach einem der vorhergehenden Ansprüche.', all],
    ['Scharnier nach mindestens einem der vorstehenden Patentansprüche.', all],
    ['Scharnier nach einem der vorangehenden Ansprüche 1 bis 2.', [1, 2]],
    ['Scharnier nach einem der voranstehenden Ansprüche.', all],
    ['Scharnier nach einem der vorgenannten Ansprüche.', all],
    ['Scharnier nach einem vorstehenden Anspruch.', all],
    ['Scharnier nach dem vorhergehenden Anspruch.', [3]],
    ['Scharnier nach einem vorstehenden Anspruch 2.', [2]],
    ['A hinge according to any of the above claims.', all],
    ['The hinge of the above claim 2.', [2]],
    ['Charnière selon une quelconque revendication précédente.', all],
    ['Charnière selon la revendication précédente.', [3]],
    ['임의의 선행하는 청구항에 있어서, 장치.', all],
    ["Charnière selon l'une quelconque des revendications précédentes.", all],
    ['前記請求項のいずれか一項に記載の装置。', all],
    ['先行する請求項のいずれかに記載の装置。', all],
    ['前記請求項２に記載の装置。', [2]],
    ['根据前述权利要求中任一项所述的方法。', all],
    ['如前述任一权利要求所述的方法。', all],
    ['如前述任一项权利要求所述的方法。', all],
    ['如上述权利要求2所述的方法。', [2]],
    ['根据前述权利要求书的方法。', []],
    ['선행 청구항 중 어느 한 항에 있어서, 장치.', all],
    ['상기 청구항들 중 어느 한 항에 따른 장치.', all],
    ['앞선 청구항 중 어느 한 항의 장치.', all],
    ['상기 청구항 2에 있어서, 장치.', [2]],
  ];
  for (const [text, expected] of preceding) {
    it(text, () => assert.deepEqual(claimsReferredTo(text, 4), expected));
  }

  it('of a large number of preceding claims, the first are named', () => {
    assert.equal(claimsReferredTo('any of the preceding claims', 999_999).length, 999);
  });

  it('the time is linear', () => {
    for (const run of [
      '제1, ',
      '제1, 제',
      '제1 ',
      ' claim 1, ',
      'claim 1 to ',
      'the first, ',
      'according to the first, ',
      'dem ',
      '—1',
      '항 ',
    ]) {
      const started = performance.now();
      claimsReferredTo(run.repeat(400_000 / run.length), 9);
      assert.ok(performance.now() - started < 2000, JSON.stringify(run));
    }
  });

  it('references name earlier claims', () => {
    assert.deepEqual(claimsReferredTo('The hinge of claims 1 to 9.', 4), [1, 2, 3]);
    assert.deepEqual(claimsReferredTo('The hinge of claim 4.', 4), []);
  });
});

const RECORDS = resolve('../shared/data/patents/KR/kipris-json');
const skip = existsSync(RECORDS) ? false : `no documents at ${RECORDS}`;

it('references agree with the marks of KIPRIS records, which omit ranges', { skip }, async () => {
  let compared = 0;
  let equal = 0;
  const wrong: string[] = [];
  for await (const item of openSources([RECORDS])) {
    if (isFailure(item) || item.format !== 'kipris-json') continue;
    const record = JSON.parse(Buffer.from(item.bytes).toString());
    for (const claim of record.claims?.first_version?.claims ?? []) {
      const own = Number(claim.claim_number);
      const marked = new Set<number>((claim.refers_to ?? []).map(Number).filter((to: number) => to < own));
      if (marked.size === 0) continue;
      compared++;
      const found = claimsReferredTo(String(claim.text), own);
      if ([...marked].every((number) => found.includes(number))) equal++;
      else if (wrong.length < 12)
        wrong.push(`${found} marked ${[...marked]}: ${String(claim.text).slice(0, 90)}`);
    }
  }
  assert.ok(compared > 10_000);
  assert.ok(equal / compared > 0.99, `${equal} of ${compared}\n${wrong.join('\n')}`);
});
