/** What `priorart search` prints for people. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { priorart } from '../crash/folder.js';

const RECORDS = [
  {
    patent_id: 'KR1020000010000B1',
    title: '라이다 센서',
    language: 'ko',
    applicants: [{ name: '한빛전자 주식회사', name_en: 'Hanbit Electronics' }],
  },
  {
    patent_id: 'CN110000001B',
    title: '激光雷达',
    language: 'zh',
    applicants: ['韩光电子有限公司'],
    ipc_codes: ['G01S 17/02'],
  },
];

describe('the text of a search', () => {
  const dir = mkdtempSync(join(tmpdir(), 'priorart-text-'));
  const data = join(dir, 'data');
  before(async () => {
    const file = join(dir, 'records.jsonl');
    writeFileSync(file, RECORDS.map((record) => JSON.stringify(record)).join('\n'));
    assert.equal((await priorart('ingest', '--data', data, file)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  it('marks the words of the question, with --highlight', async () => {
    const marked = await priorart('search', '--data', data, '라이다', '--highlight');
    assert.match(marked.stdout, /\*\*라이다\*\*/);
    assert.doesNotMatch((await priorart('search', '--data', data, '라이다')).stdout, /\*\*/);
  });

  it('names what was added to the applicant', async () => {
    for (const command of ['search', 'stats']) {
      const all = command === 'stats' ? ['--min-score', '0'] : [];
      const found = await priorart(
        ...[command, '--data', data, '라이다', '--applicant', 'Hanbit', '--applicant-expand', ...all],
      );
      assert.match(found.stdout, /^Applicant also as 한빛전자 주식회사$/m, command);
      const none = await priorart(
        ...[command, '--data', data, '라이다', '--applicant', '韩光', '--applicant-expand', ...all],
      );
      assert.match(none.stdout, /^No other names of the applicant are known\.$/m, command);
    }
  });

  it('shows any page of statistics, and names the options of their dates', async () => {
    const stats = ['stats', '--data', data, '라이다', '--min-score', '0', '--page-size', '1'];
    const pages = [];
    for (const page of ['1', '2']) {
      const { stdout } = await priorart(...stats, '--page', page, '--json');
      pages.push(JSON.parse(stdout));
    }
    assert.deepEqual(
      pages.map(({ page }) => page),
      [1, 2],
    );
    assert.notEqual(pages[0].results[0].patent_id, pages[1].results[0].patent_id);
    const none = await priorart(...stats, '--date-range-from', '2090-01-01');
    assert.match(none.stdout, /\(--date-range-…\)/);
    assert.doesNotMatch(none.stdout, /--filing-date/);
  });

  it('statistics say which class they counted, and with --explain whether the count is exact', async () => {
    const stats = (...args: string[]) => priorart('stats', '--data', data, ...args);
    const text = await stats('라이다', '--min-score', '0');
    assert.match(text.stdout, /^2 patents with a similarity of 0 or more$/m);
    assert.doesNotMatch(text.stdout, /count is exact/);
    const explained = await stats('라이다', '--min-score', '0', '--explain', '--exact');
    assert.match(explained.stdout, /^The count is exact \(scan: exact\)\. 2 publications could count\.$/m);
    const ofClass = await stats('G01S 17/02', '--min-score', '0');
    assert.match(ofClass.stdout, /^1 patent classified under G01S17\/02$/m);
    const none = await stats('G01S 17/02', '--countries', 'KR');
    assert.equal(
      none.stdout,
      'None of the 1 publication that the filters allow is classified under G01S17/02.\n',
    );
    const far = await stats('G01S 17/02', '--countries', 'KR', '--min-score', '0.1');
    assert.match(
      far.stdout,
      / is classified under G01S17\/02 and has a similarity of 0\.1 or more; lower the limit /,
    );
    const json = JSON.parse((await stats('G01S 17/02', '--json')).stdout);
    assert.equal(
      json.classification,
      undefined,
      'the body of the answer has it only if the request has explain',
    );
  });

  it('says how a code was read, whatever the request says of reranking', async () => {
    for (const rerank of ['on', 'off', 'auto']) {
      const { code, stdout } = await priorart('search', '--data', data, 'G01S 17/02', '--rerank', rerank);
      assert.equal(code, 0);
      assert.match(stdout, /^G01S 17\/02 is a classification code with 1 publication /);
    }
  });

  it('a path that cannot be written is an error in one line', async () => {
    for (const args of [
      ['export', '--out', dir],
      ['embed', '--out', join(dir, 'missing', 'x')],
    ]) {
      const { code, stderr } = await priorart(...args, ...(args[0] === 'export' ? ['--data', data] : []));
      assert.notEqual(code, 0);
      assert.match(
        stderr,
        /is a folder; expected a file\n$|does not exist, or the folder that it should be in\n$/,
      );
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
    }
  });

  it('calls the passage of a patent without texts its title', async () => {
    const { stdout } = await priorart('search', '--data', data, '라이다');
    assert.match(stdout, /^ {4}Title: 라이다 센서$/m);
    assert.doesNotMatch(stdout, /Abstract:/);
  });

  it('does not say that nothing is about a question whose words the first result holds', async () => {
    const models = join(dir, 'far.json');
    // A calibration by which everything is dissimilar.
    writeFileSync(
      models,
      JSON.stringify({ embedder: { kind: 'static', calibration: { midpoint: 0.99, slope: 8 } } }),
    );
    const ask = async (command: string, question: string, ...filters: string[]) =>
      (await priorart(command, '--data', data, '--models', models, question, ...filters)).stdout;
    const held =
      /^The first result holds words of the question or their translations, but none of the results shown is similar to the whole: their best similarity is 0\.\d\d\.\n\n 1\. /;
    assert.match(await ask('search', '라이다'), held);
    assert.match(await ask('search', '라이다', '--countries', 'CN'), held, 'a translation counts');
    assert.match(await ask('search', 'opera'), /^Nothing here seems to be about this: /);
    assert.doesNotMatch(await ask('explain', '라이다'), /nothing here seems/);
    assert.match(await ask('explain', 'opera'), /nothing here seems to be about this$/m);
  });

  it('says that no document holds a word of the question', async () => {
    const models = join(dir, 'near.json');
    // A calibration by which everything is similar.
    writeFileSync(
      models,
      JSON.stringify({ embedder: { kind: 'static', calibration: { midpoint: -0.9, slope: 8 } } }),
    );
    const ask = async (question: string, ...options: string[]) =>
      (await priorart('search', '--data', data, '--models', models, question, ...options)).stdout;
    const hint =
      /^No document holds a word of the question, or a known translation of one\. Check the spelling: /;
    assert.match(await ask('flurbel zanthor'), hint);
    for (const question of ['라이다', 'lidar zanthor']) assert.doesNotMatch(await ask(question), hint);
    assert.doesNotMatch(await ask('flurbel', '--json'), hint);
  });

  it('explains a score by its parts, and names words and translations', async () => {
    const { stdout } = await priorart('search', '--data', data, '라이다', '--explain', '--json');
    const plain = await priorart('search', '--data', data, '라이다', '--explain');
    const explained = JSON.parse(stdout).results as {
      patent_id: string;
      explanation: { reranker: number };
    }[];
    assert.equal(explained.length, 2);
    for (const { explanation } of explained) {
      assert.ok(
        plain.stdout.includes(`    reranker ${explanation.reranker.toFixed(3)} + words `),
        plain.stdout,
      );
    }
    assert.match(plain.stdout, /words: 라이다$/m);
    assert.match(plain.stdout, /words: 激光雷达 \(라이다\)$/m);
  });

  it('explain states the reason for the scan of each segment, in words and in JSON', async () => {
    const plain = await priorart('explain', '--data', data, '라이다');
    const small =
      /^ {2}s\d{8}-[0-9a-f]{16}: exact scan of 2 of 2 passages; why: the folder has fewer than 20,000 passages$/m;
    assert.match(plain.stdout, small);
    assert.match(plain.stdout, /^plan {6}exact; the filter allows 2 documents$/m);
    const reasons = async (...args: string[]) => {
      const { stdout } = await priorart('explain', '--data', data, '라이다', '--json', ...args);
      return JSON.parse(stdout).plan.segments.map(({ why }: { why: string }) => why);
    };
    assert.deepEqual(await reasons(), ['small']);
    assert.deepEqual(await reasons('--countries', 'EP'), ['nothing_allowed']);
    const one = await priorart('explain', '--data', data, '라이다', '--countries', 'KR');
    assert.match(one.stdout, /^plan {6}exact; the filter allows 1 document$/m);
  });
});
