import type { Command } from 'commander';
import { RequestLog } from '../access/request-log.js';
import { PriorartError } from '../errors.js';
import { LOG_PAGE } from '../limits.js';
import { accessCommand, integerOption, table, withAccess } from './access-folder.js';
import { print } from './output.js';

type Flags = Record<string, string | undefined>;

export function logsCommand(): Command {
  return accessCommand('logs', 'show the request log of a key, newest first')
    .argument('<key>', 'id of the key')
    .option(
      '--limit <lines>',
      `lines on a page, ${LOG_PAGE.min} to ${LOG_PAGE.max}`,
      String(LOG_PAGE.default),
    )
    .option('--cursor <cursor>', 'position at which the previous page ended, as printed there')
    .addHelpText(
      'after',
      `
Examples:
  priorart logs key_Xy12abcdef34
  priorart logs key_Xy12abcdef34 --limit 1000 --json`,
    )
    .action(run);
}

async function run(key: string, flags: Flags): Promise<void> {
  const limit = integerOption('--limit', flags['limit'])!;
  if (limit < LOG_PAGE.min || limit > LOG_PAGE.max) {
    throw new PriorartError(
      'usage',
      `--limit: got ${limit}; expected an integer from ${LOG_PAGE.min} to ${LOG_PAGE.max}`,
    );
  }
  await withAccess(flags, async (access) => {
    const { id } = access.key(key);
    const log = new RequestLog(access.openLog());
    try {
      const page = await log.page(id, limit, flags['cursor']);
      print(page, Boolean(flags['json']), () => {
        const lines = table(
          page.lines.map((line) => [
            line.time,
            line.error_code === undefined ? String(line.status) : `${line.status} ${line.error_code}`,
            line.endpoint,
            `${line.ms} ms`,
            line.result_count === undefined ? '' : `${line.result_count} results`,
            line.client,
            line.request_id,
            line.query ?? '',
          ]),
        );
        const more = page.next === undefined ? '' : `\nOlder lines: --cursor ${page.next}`;
        return lines === '' ? 'No requests are logged.' : lines + more;
      });
    } finally {
      await log.close();
    }
  });
}
