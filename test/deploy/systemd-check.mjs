/**
 * Runs inside a container that systemd.test.ts boots: installs the unit's user, makes a data folder as that user,
 * starts, reloads, kills and stops the service, and writes the results as JSON.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const seen = {};
const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8' }).trim();
const property = (name) => run('systemctl', 'show', 'priorart', '--value', '-p', name);

async function until(condition, what) {
  const last = performance.now() + 60_000;
  while (!(await condition())) {
    if (performance.now() > last) throw new Error(`not within a minute: ${what}`);
    await sleep(50);
  }
}

async function status(path) {
  try {
    const answer = await fetch(`http://127.0.0.1:8080${path}`);
    seen.answered = await answer.text();
    return answer.status;
  } catch (error) {
    seen.answered = String(error.cause);
    return undefined;
  }
}

try {
  run('systemd-sysusers', '/check/priorart.sysusers');
  run('install', '-d', '-o', 'priorart', '-g', 'priorart', '-m', '0700', '/var/lib/priorart');
  // Equivalent of "runuser -u priorart", which needs /etc/pam.d.
  const asUser = ['--reuid=priorart', '--regid=priorart', '--init-groups', '/opt/priorart/bin/priorart'];
  const data = ['--data', '/var/lib/priorart/data'];
  run('setpriv', ...asUser, 'ingest', ...data, '--workers', '1', '/check/patents.jsonl');
  seen.key = run('setpriv', ...asUser, 'keys', 'create', ...data, '--account', 'Team', '--json').includes(
    'secret',
  );
  run('systemctl', 'start', 'priorart');
  await until(async () => (await status('/readyz')) === 200, 'the server is ready');
  const pid = property('MainPID');
  const proc = readFileSync(`/proc/${pid}/status`, 'utf8');
  seen.process = Object.fromEntries(
    ['Uid', 'NoNewPrivs', 'Seccomp', 'CapEff'].map((name) => [
      name,
      new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(proc)[1],
    ]),
  );
  seen.files = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))[1];
  const secret = '/var/lib/priorart/data/access/admin-secret';
  seen.modes = ['/var/lib/priorart', secret].map((path) => run('stat', '-c', '%U %a', path));
  const authorization = `Bearer ${readFileSync(secret, 'utf8').trim()}`;
  const plans = await fetch('http://127.0.0.1:8080/admin/api/v1/plans', { headers: { authorization } });
  seen.admin = plans.status;

  run('systemctl', 'reload', 'priorart');
  const journal = () => run('journalctl', '-u', 'priorart', '-o', 'cat');
  await until(() => journal().includes('settings read again'), 'the settings are reloaded');
  seen.pidAfterReload = property('MainPID') === pid ? 'same' : 'other';

  run('kill', '-9', pid);
  await until(() => !['0', pid].includes(property('MainPID')), 'the service is restarted');
  await until(async () => (await status('/readyz')) === 200, 'the server is ready again');
  seen.restarts = property('NRestarts');

  run('systemctl', 'stop', 'priorart');
  seen.stopped = [property('ActiveState'), property('Result'), property('ExecMainStatus')];
} catch (error) {
  seen.error = `${error.message}\n${error.stderr ?? ''}`;
}
seen.journal = spawnSync('journalctl', ['-u', 'priorart', '-o', 'cat', '-n', '30'], {
  encoding: 'utf8',
}).stdout;
writeFileSync('/result/seen.json', JSON.stringify(seen));
