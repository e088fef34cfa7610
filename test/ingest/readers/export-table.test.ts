import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseUnit } from '../../../src/ingest/readers/registry.js';

/** The applicants of a row of a CNIPA list. */
function applicants(cell: string): string[] | undefined {
  const table = `公开公告号,名称,申请人,发明人,申请日\nCN101000001A,门,"${cell}",王五,2010.01.02`;
  const { patents, failed } = parseUnit('export-table', Buffer.from(table));
  assert.equal(failed, undefined);
  return patents[0]?.applicants?.map(({ name }) => name);
}

describe('a cell of names is cut at separators', () => {
  const school = '广州市轻工高级技工学校(广州市轻工技师学院、广州市轻工高级职业技术培训学院)';
  const cases: [string, string[]][] = [
    ['甲公司;乙公司', ['甲公司', '乙公司']],
    ['甲公司、乙公司,丙公司', ['甲公司', '乙公司', '丙公司']],
    // Not before a legal form.
    ['惠普发展公司,有限责任合伙企业', ['惠普发展公司,有限责任合伙企业']],
    ['惠普发展公司，有限责任合伙企业、乙公司', ['惠普发展公司，有限责任合伙企业', '乙公司']],
    ['Gate Co., Ltd., Latch GmbH', ['Gate Co., Ltd.', 'Latch GmbH']],
    // Not within brackets, of whatever width.
    [school, [school]],
    [`${school}、乙公司`, [school, '乙公司']],
    ['甲（乙;丙);丁', ['甲（乙;丙)', '丁']],
    ['甲(乙、丙', ['甲(乙', '丙']],
    ['甲)、乙', ['甲)', '乙']],
  ];
  for (const [cell, names] of cases) it(cell, () => assert.deepEqual(applicants(cell), names));
});
