/**
 * Errors of the operating system, reported in one line: a port in use, too few file descriptors, a read-only folder.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ADAPTERS } from '../adapters.js';
import { CLI, FIXTURES, priorart } from '../crash/folder.js';

/** The user of the child process. Not root, because root may write everywhere. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** Runs a line of sh, with the data folder, the program and its main file as $1, $2 and $3. */
function sh(line: string, data: string, options: { uid?: number; gid?: number } = {}) {
  const args = ['-c', line, 'sh', data, process.execPath, CLI];
  return spawnSync('sh', args, { ...options, encoding: 'utf8', timeout: 300_000 });
}

/** An error is one line with the exit code of a failure. */
function assertOneLine(
  { status, stderr }: { status: number | null; stderr: string },
  expected: RegExp,
): void {
  assert.match(stderr, expected);
  assert.match(stderr, /^priorart: [^\n]+\n$/);
  assert.equal(status, 1);
}

const MOUNT = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1"';
const noMounts =
  spawnSync('unshare', ['-m', 'sh', '-c', MOUNT, 'sh', tmpdir()]).status === 0
    ? false
    : 'this user cannot mount file systems';

const noOtherUser = process.getuid?.() === 0 ? false : 'only root can act as another user';

const noFullDisk = existsSync('/dev/full') ? false : 'there is no /dev/full';

describe('errors of the operating system', () => {
  let dir: string;
  let data: string;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'priorart-refusals-'));
    chmodSync(dir, 0o755);
    data = join(dir, 'data');
    assert.equal((await priorart('ingest', '--data', data, FIXTURES[0]!)).code, 0);
  });
  after(() => rmSync(dir, { recursive: true }));

  for (const adapter of ADAPTERS) {
    it(`a port in use (${adapter}) is reported`, async () => {
      const taken = createServer();
      await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
      const { port } = taken.address() as AddressInfo;
      const args = ['--data', data, '--port', String(port), '--workers', '1', '--http-adapter', adapter];
      const { code, stderr } = await priorart('serve', ...args);
      taken.close();
      const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      assertOneLine(
        { status: code, stderr: `${lines.join('\n')}\n` },
        /cannot listen on 127\.0\.0\.1 port \d+: another program uses the port; choose another port with --port \(npm start -- --port NUMBER\), or end/,
      );
    });
  }

  for (const adapter of ADAPTERS) {
    it(`an address of another machine (${adapter}) is reported, with the option for another`, async () => {
      // 192.0.2.0/24 is for documentation: no machine has such an address.
      const args = ['--data', data, '--port', '0', '--workers', '1', '--http-adapter', adapter];
      const { code, stderr } = await priorart('serve', ...args, '--host', '192.0.2.1');
      const lines = stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
      assertOneLine(
        { status: code, stderr: `${lines.join('\n')}\n` },
        /cannot listen on 192\.0\.2\.1 port 0: the address does not belong to this machine; choose .* --host/,
      );
    });
  }

  it('too few file descriptors are reported', () => {
    const search = sh('ulimit -n 100; exec "$2" "$3" search --data "$1" battery', data);
    assertOneLine(search, /too few file descriptors; expected at least 192 .*ulimit -n/);
  });

  it('a full disk behind standard output is reported', { skip: noFullDisk }, () => {
    for (const command of ['search --data "$1" battery', 'export --data "$1"', 'coverage --data "$1"']) {
      assertOneLine(sh(`exec "$2" "$3" ${command} > /dev/full`, data), /^priorart: standard output: ENOSPC/m);
    }
  });

  it('a full disk behind --out is reported', { skip: noFullDisk }, () => {
    const embed = 'printf "a\\n" | exec "$2" "$3" embed --data "$1" --out /dev/full';
    assertOneLine(sh(embed, data), /no room to write .*; free some space/);
  });

  it('a folder without write permission is reported', () => {
    sh('chmod -R a+rX,a-w "$1"', data);
    try {
      for (const command of [
        'search --data "$1" battery',
        'ingest --data "$1" /dev/null',
        'serve --data "$1" --port 0',
      ]) {
        assertOneLine(sh(`exec "$2" "$3" ${command}`, data, NOBODY), /may not write in .*data, which/);
      }
    } finally {
      sh('chmod -R u+w "$1"', data);
    }
  });

  it('a folder of another user is reported, not taken for an empty one', { skip: noOtherUser }, () => {
    // A data folder is its owner's alone; the test before this one opened it.
    chmodSync(data, 0o700);
    for (const command of [
      'search --data "$1" battery',
      'check --data "$1"',
      'export --data "$1"',
      'ingest --data "$1" /dev/null',
    ]) {
      assertOneLine(
        sh(`exec "$2" "$3" ${command}`, data, NOBODY),
        /no permission to read .*data; check its owner and mode/,
      );
    }
  });

  it('a read-only file system is reported by what would write, and can be searched', {
    skip: noMounts,
  }, () => {
    const mounted = (command: string) =>
      spawnSync(
        'unshare',
        ['-m', 'sh', '-c', `${MOUNT} && exec "$2" "$3" ${command}`, 'sh', data, process.execPath, CLI],
        {
          encoding: 'utf8',
          timeout: 300_000,
        },
      );
    const found = mounted('search --json --data "$1" battery');
    assert.equal(found.status, 0, found.stderr);
    assert.ok(JSON.parse(found.stdout).total > 0);
    const { status, stderr } = mounted(`ingest --data "$1" ${FIXTURES[1]}`);
    // Progress lines precede it.
    const last = stderr.slice(stderr.indexOf('priorart:'));
    assertOneLine({ status, stderr: last }, /data is on a read-only file system: it can be searched/);
    const refused: [string, RegExp][] = [
      ['check --repair --data "$1"', /data is on a read-only file system: it can be searched/],
      [
        'snapshot --data "$1" "$1-copy"',
        /data is on a read-only file system, .*; nothing changes there, so copy/,
      ],
      ['keys list --data "$1"', /data is on a read-only file system: accounts, keys .*; copy the folder/],
      [
        'maintenance status --data "$1"',
        /data is on a read-only file system: accounts, keys .*; copy the folder/,
      ],
    ];
    for (const [command, expected] of refused) assertOneLine(mounted(command), expected);
    // The same once there are accounts, whose file is then there.
    assert.equal(sh('exec "$2" "$3" accounts create --plan free --data "$1" a', data).status, 0);
    for (const [command, expected] of refused) assertOneLine(mounted(command), expected);
  });
});
