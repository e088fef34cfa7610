/** deploy/priorart.service: checked by systemd, and started by a systemd in a container. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { invented, writeLines } from '../crash/folder.js';
import { ROOT, read } from '../house/checkout.js';
import { changed, missingProgram } from './proxy.js';

const UNIT = 'deploy/priorart.service';
/** Maximum score of `systemd-analyze security`, 0 to 10. Above 2, a service counts as exposed here. */
const EXPOSURE_MAX = 2;

const CONTAINER = [
  '--directory=/',
  '--volatile=yes',
  '--register=no',
  '--keep-unit',
  '--settings=no',
  '--private-network',
];

/** Reason why no systemd can be booted here, or false if it can. */
function noContainer(): string | false {
  const missing =
    missingProgram('systemd-nspawn') || (existsSync('/lib/systemd/systemd') ? false : 'no systemd');
  if (missing) return missing;
  if (process.getuid?.() !== 0) return 'systemd-nspawn needs root';
  const { status } = spawnSync('systemd-nspawn', [...CONTAINER, '--pipe', '/bin/true'], { timeout: 60_000 });
  return status === 0 ? false : 'systemd-nspawn cannot start a container here';
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'priorart-systemd-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('deploy/priorart.service', () => {
  const noAnalyze = missingProgram('systemd-analyze');

  it('has no warnings of systemd', { skip: noAnalyze }, (t) => {
    const folder = temporary(t);
    const file = join(folder, 'priorart.service');
    // Expected complaints, because the program and its user are not installed.
    const unit = changed(
      read(UNIT),
      ['/opt/priorart/bin/priorart', process.execPath],
      ['User=priorart', 'User=root'],
      ['Group=priorart', 'Group=root'],
    );
    writeFileSync(file, unit);
    const verified = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    assert.deepEqual([verified.status, ownLines(verified.stderr)], [0, []]);
    writeFileSync(file, unit.replace('ProtectSystem=strict', 'ProtectSystem=very'));
    const wrong = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    assert.notDeepEqual(ownLines(wrong.stderr), [], 'a planted mistake is found');
  });

  it(`has an exposure of at most ${EXPOSURE_MAX} of 10`, { skip: noAnalyze }, (t) => {
    const file = join(temporary(t), 'priorart.service');
    copyFileSync(join(ROOT, UNIT), file);
    const args = ['security', '--offline=yes', `--threshold=${EXPOSURE_MAX * 10}`, '--no-pager', file];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /Overall exposure level/);
  });

  it('starts, serves, reloads, restarts after a kill, and stops', { skip: noContainer() }, async (t) => {
    const folder = temporary(t);
    const at = (name: string) => join(folder, name);
    for (const name of ['bin', 'check', 'result']) mkdirSync(at(name));
    const main = '/opt/priorart/lib/node_modules/priorart/dist/src/cli/main.js';
    writeFileSync(at('bin/priorart'), `#!/bin/sh\nexec node ${main} "$@"\n`);
    chmodSync(at('bin/priorart'), 0o755);
    writeLines(at('check/patents.jsonl'), invented(20));
    copyFileSync(join(ROOT, 'test/deploy/systemd-check.mjs'), at('check/check.mjs'));
    copyFileSync(join(ROOT, 'deploy/priorart.sysusers'), at('check/priorart.sysusers'));
    const check = `
      [Unit]
      SuccessAction=poweroff-force
      FailureAction=poweroff-force
      [Service]
      Type=oneshot
      Environment=PATH=${process.env['PATH']}:/usr/sbin
      ExecStart=${process.execPath} /check/check.mjs
      [Install]
      WantedBy=multi-user.target`;
    writeFileSync(at('check.service'), check.replaceAll(/^ +/gm, ''));
    const child = spawn(
      'systemd-nspawn',
      [
        ...CONTAINER,
        '--boot',
        `--machine=priorart-test-${process.pid}`,
        `--bind-ro=${ROOT}:/opt/priorart/lib/node_modules/priorart`,
        `--bind-ro=${at('bin')}:/opt/priorart/bin`,
        `--bind-ro=${at('check')}:/check`,
        `--bind=${at('result')}:/result`,
        `--bind-ro=${join(ROOT, UNIT)}:/etc/systemd/system/priorart.service`,
        `--bind-ro=${at('check.service')}:/etc/systemd/system/check.service`,
        'systemd.unit=check.service',
        'systemd.firstboot=no',
        'systemd.mask=systemd-networkd-wait-online.service',
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    );
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => (printed += String(bytes)));
    t.after(() => child.kill('SIGKILL'));
    await once(child, 'exit');
    assert.ok(existsSync(at('result/seen.json')), printed.slice(-3_000));
    const seen = JSON.parse(readFileSync(at('result/seen.json'), 'utf8'));
    assert.equal(seen.error, undefined, `${seen.error}\n${seen.answered}\n${seen.journal}`);
    assert.notEqual(seen.process.Uid, '0');
    assert.deepEqual(
      [seen.process.NoNewPrivs, seen.process.Seccomp, Number(`0x${seen.process.CapEff}`)],
      ['1', '2', 0],
    );
    assert.deepEqual(seen.modes, ['priorart 700', 'priorart 600']);
    assert.deepEqual([seen.key, seen.admin, seen.pidAfterReload, seen.restarts], [true, 200, 'same', '1']);
    // A container cannot raise a limit above the machine's.
    const [, most] = /^Max open files\s+\d+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))!;
    assert.equal(seen.files, String(Math.min(65_536, Number(most))));
    assert.deepEqual(seen.stopped, ['inactive', 'success', '0']);
  });
});

/** Lines about the unit, without those about system units that it depends on. */
function ownLines(text: string): string[] {
  return text.split('\n').filter((line) => line.includes('priorart'));
}
