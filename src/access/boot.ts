/** Which start of the machine this is: counters that are not forced to the disk are of no use after the next. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';

/** The same in all processes until the machine starts again; undefined where the system does not tell. */
export function bootId(): string | undefined {
  try {
    if (platform === 'linux') return sane(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1'));
    if (platform === 'darwin')
      return sane(execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'latin1' }));
  } catch {
    // A system without it is served more slowly, not less correctly.
  }
  return undefined;
}

function sane(text: string): string | undefined {
  const id = text.trim().toLowerCase();
  return /^[0-9a-f-]{8,64}$/.test(id) ? id : undefined;
}
