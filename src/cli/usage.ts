import type { Command } from 'commander';
import { RequestLog } from '../access/request-log.js';
import { PriorartError } from '../errors.js';
import { accessCommand, accountNamed, table, withAccess } from './access-folder.js';
import { count, print } from './output.js';

type Flags = Record<string, string | undefined>;

export function usageCommand(): Command {
  return accessCommand('usage', 'count calls by day, key and endpoint')
    .option('--account <account>', 'only calls of this account, by id or name')
    .option('--key <id>', 'only calls with this key')
    .option('--from <day>', 'first day, YYYY-MM-DD, UTC (default: the first of the month of --to)')
    .option('--to <day>', 'last day (default: today)')
    .addHelpText(
      'after',
      `
Examples:
  priorart usage --account "Patent team"
  priorart usage --key key_Xy12abcdef34 --from 2026-01-01 --to 2026-01-31 --json`,
    )
    .action(run);
}

async function run(flags: Flags): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const to = day('--to', flags['to'], today);
  const from = day('--from', flags['from'], `${to.slice(0, 8)}01`);
  if (from > to) throw beginsTooLate(flags, from, to);
  await withAccess(flags, async (access) => {
    const { account, key } = flags;
    const id = account === undefined ? undefined : accountNamed(access, account).id;
    const keys = access.selectedKeys({ account: id, key });
    const log = new RequestLog(access.openLog());
    try {
      const rows = await log.usage(from, to, keys && new Set(keys));
      print(rows, Boolean(flags['json']), () =>
        rows.length === 0
          ? `No calls from ${from} to ${to}.`
          : table([
              ['day', 'key', 'endpoint', 'calls', 'ok', '4xx', '5xx'],
              ...rows.map((row) => [
                row.day,
                row.key,
                row.endpoint,
                count(row.requests),
                count(row.ok),
                count(row.client_errors),
                count(row.server_errors),
              ]),
            ]),
      );
    } finally {
      await log.close();
    }
  });
}

/** The error for a first day behind the last one. */
function beginsTooLate({ to: until }: Flags, from: string, to: string): PriorartError {
  const last = until === undefined ? 'which is today' : 'the value of --to';
  return new PriorartError('usage', `--from: got "${from}"; expected a day up to ${to}, ${last}`);
}

function day(flag: string, text: string | undefined, fallback: string): string {
  if (text === undefined) return fallback;
  const time = Date.parse(`${text}T00:00:00Z`);
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text))
    return text;
  throw new PriorartError('usage', `${flag}: got "${text}"; expected a day as YYYY-MM-DD`);
}
