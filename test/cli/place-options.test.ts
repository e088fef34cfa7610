/** Proposed commands reach the index of the command that proposes them: a data folder, or a cluster. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { accountsCommand } from '../../src/cli/accounts.js';
import { messagesOf, proposing } from '../../src/cli/messages.js';
import { whereOf } from '../../src/cli/options.js';
import { reindexCommand } from '../../src/cli/reindex.js';
import { serveCommand } from '../../src/cli/serve.js';
import { checkModel } from '../../src/models/identity.js';
import { temporary } from '../crash/folder.js';

const SECRET = 'pass w0rd';
const CLUSTER = {
  engine: 'opensearch',
  opensearchNodes: 'https://node-1:9200,https://node-2:9200',
  opensearchIndex: 'own',
  opensearchUsername: 'Kim Lee',
  opensearchPassword: SECRET,
  opensearchCa: './ca.pem',
  opensearchTimeoutMs: '5000',
};
const REACHES =
  '--opensearch-nodes https://node-1:9200,https://node-2:9200 --opensearch-index own ' +
  "--opensearch-username 'Kim Lee' --opensearch-password PASSWORD --opensearch-ca ./ca.pem";

/** Runs with variables of the environment, and no others of settings. */
function withEnvironment<T>(variables: Record<string, string>, work: () => T): T {
  const before = { ...process.env };
  const names = Object.keys(before).filter((name) => name.startsWith('PRIORART_'));
  for (const name of names) delete process.env[name];
  Object.assign(process.env, variables);
  try {
    return work();
  } finally {
    for (const name of Object.keys(variables)) delete process.env[name];
    Object.assign(process.env, before);
  }
}

/** A message of a command with these options. */
function proposedBy(command: ReturnType<typeof serveCommand>, flags: object, message: string): string {
  for (const [name, value] of Object.entries(flags)) command.setOptionValue(name, value);
  messagesOf(command);
  return proposing(message);
}

describe('options that name the index', () => {
  it('are those of the cluster, without its password', () => {
    withEnvironment({}, () => {
      assert.equal(whereOf(CLUSTER, 'keys'), `--engine opensearch ${REACHES}`);
      assert.equal(
        whereOf({ ...CLUSTER, data: 'own folder' }, 'keys'),
        `--data 'own folder' --engine opensearch ${REACHES}`,
      );
      assert.equal(
        proposedBy(serveCommand(), CLUSTER, 'see `priorart accounts list`, `priorart keys --help`'),
        `see \`priorart accounts list --engine opensearch ${REACHES}\`, \`priorart keys --help\``,
      );
    });
  });

  it('are those that the proposed command has', () => {
    withEnvironment({}, () => {
      const flags = { ...CLUSTER, data: './d' };
      assert.equal(
        proposedBy(serveCommand(), flags, 'run `priorart check --repair`'),
        'run `priorart check --repair --data ./d`',
      );
      assert.equal(
        proposedBy(serveCommand(), flags, 'run `priorart reindex`'),
        `run \`priorart reindex --data ./d ${REACHES}\``,
      );
      const { engine: _, ...address } = CLUSTER;
      assert.equal(
        proposedBy(reindexCommand(), address, 'run `priorart reindex` again'),
        `run \`priorart reindex ${REACHES}\` again`,
      );
    });
  });

  it('are left out if the environment has them', () => {
    const env = {
      PRIORART_ENGINE: 'opensearch',
      PRIORART_OPENSEARCH_NODES: CLUSTER.opensearchNodes,
      PRIORART_OPENSEARCH_PASSWORD: SECRET,
    };
    withEnvironment(env, () => {
      assert.equal(whereOf({}, 'keys'), '--engine opensearch');
      assert.equal(
        proposedBy(accountsCommand(), { opensearchIndex: 'own' }, '`priorart accounts list`'),
        '`priorart accounts list --opensearch-index own`',
      );
      // Against the environment.
      assert.equal(whereOf({ engine: 'embedded' }, 'keys'), '--data .priorart --engine embedded');
    });
  });

  it('come from a file of settings that an option names', (t) => {
    const settings = join(temporary(t), 'settings.json');
    const nodes = 'http://127.0.0.1:9200';
    writeFileSync(settings, JSON.stringify({ engine: 'opensearch', 'opensearch-nodes': nodes, data: './d' }));
    const expected = `--data ./d --engine opensearch --opensearch-nodes ${nodes}`;
    withEnvironment({}, () => assert.equal(whereOf({ settings }, 'keys'), expected));
    // A broken file of the environment is not read by this command.
    withEnvironment({ PRIORART_SETTINGS: '/none' }, () =>
      assert.equal(whereOf({ settings }, 'keys'), expected),
    );
    withEnvironment({ PRIORART_SETTINGS: settings }, () =>
      assert.equal(whereOf({}, 'keys'), '--engine opensearch'),
    );
  });

  it('name the data folder in any case', () => {
    withEnvironment({ PRIORART_DATA: 'a b' }, () => assert.equal(whereOf({}, 'search'), "--data 'a b'"));
  });
});

it('another model of an index on a cluster is a matter of reindex', () => {
  const model = (name: string) => ({ name, version: '1', dimensions: 4, calibrated: true }) as never;
  assert.throws(() => checkModel(model('a'), model('b'), 'patents', 'reindex'), {
    code: 'model_mismatch',
    inCommand: /`priorart reindex --models FILE`$/,
  });
});
