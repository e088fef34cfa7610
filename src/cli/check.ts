import type { Command } from 'commander';
import { type AccessDamage, damagedFiles } from '../access/damage.js';
import { type CheckReport, checkFolder } from '../index/check.js';
import { type RepairReport, repairFolder } from '../index/repair.js';
import { derivationBy } from '../ingest/prepare.js';
import { type ModelsConfig, readModels, storedModels } from '../models/config.js';
import { checkModel } from '../models/identity.js';
import { closeModels, loadModels } from '../models/load.js';
import { Store } from '../store/store.js';
import { accessDir } from './access-folder.js';
import { proposing } from './messages.js';
import { dataCommand, openOptions, withSettings } from './options.js';
import { counted, EXIT, ProgressLine, print } from './output.js';

const SHOWN = 30;

const ACCESS_REMEDY =
  'Files of accounts, quotas and the log of requests cannot be rebuilt, not by --repair either: restore them from a ' +
  'snapshot, or do what stands beside the file.';

export function checkCommand(): Command {
  const command = dataCommand(
    'check',
    'verify a whole data folder: checksums, vectors, texts, ids, drawings, accounts',
  )
    .option(
      '--repair',
      'rebuild derived data (indexes, segments, look-up tables) and remove unreferenced drawings',
    )
    .addHelpText(
      'after',
      `
Exit code: 0 if no problems are left, 1 otherwise.

Examples:
  priorart check --data ./patents
  priorart check --data ./patents --repair --json`,
    )
    .action(run);
  return withSettings(command, ['models']);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const { data, models } = openOptions(flags);
  const explicit = models === undefined ? undefined : readModels(models);
  const store = Store.open(data);
  const line = new ProgressLine();
  const onProgress = (text: string) => line.update(text);
  try {
    // First: a file that another process has locked is said before the long part.
    onProgress('accounts and log');
    const damaged = damagedFiles(accessDir(data));
    const found = flags['repair']
      ? await repair(store, explicit, onProgress)
      : await checkFolder(store, onProgress);
    const report = withDamage(found, damaged);
    line.end();
    print(report, flags['json'] === true, () => text(report));
    if (!report.ok) process.exitCode = EXIT.failed;
  } finally {
    await store.close();
  }
}

async function repair(
  store: Store,
  explicit: ModelsConfig | undefined,
  onProgress: (text: string) => void,
): Promise<RepairReport> {
  const { dir } = store;
  const { model, models } = store.manifest();
  const loaded = await loadModels(explicit ?? storedModels(models, dir));
  try {
    checkModel(model, loaded.embedder, dir);
    return await repairFolder(store, derivationBy(loaded), onProgress);
  } finally {
    await closeModels(loaded);
  }
}

/** A report with the damaged files of the access store. */
function withDamage<Report extends CheckReport>(report: Report, damaged: readonly AccessDamage[]): Report {
  const problems = damaged.map(({ file, reason }) => ({ kind: 'access' as const, where: file, reason }));
  return {
    ...report,
    ok: report.ok && problems.length === 0,
    problems: [...problems, ...report.problems],
  };
}

function text(report: CheckReport | RepairReport): string {
  const { documents, passages, segments, problems, ok } = report;
  const repaired = 'repaired' in report ? report.repaired : [];
  const bad = problems.filter(({ kind }) => kind !== 'leftover').length;
  const lines = [
    ...repaired.map((what) => `repaired: ${what}`),
    ...problems.slice(0, SHOWN).map(({ kind, where, reason }) => `${kind}: ${where}: ${reason}`),
    `${counted(documents, 'document')}, ${counted(passages, 'passage')} in ${counted(segments, 'segment')}: ` +
      (ok ? 'everything is in order.' : `${counted(bad, 'problem')}.`),
  ];
  const others = problems.filter(({ kind }) => kind !== 'access');
  if (others.length < problems.length) lines.push(ACCESS_REMEDY);
  if (others.some(({ kind }) => kind !== 'leftover')) lines.push(proposing(remedy(others)));
  return lines.join('\n');
}

function remedy(problems: CheckReport['problems']): string {
  if (problems.some(({ kind }) => kind === 'store')) {
    return (
      'The store is damaged and cannot be rebuilt: restore a copy of the folder, or ingest the documents ' +
      'again into a new one with --data.'
    );
  }
  if (problems.every(({ kind }) => kind === 'drawing' || kind === 'leftover')) {
    return (
      'Drawings are damaged: run `priorart check --repair`, which removes them from the answers. Then ingest their ' +
      'files again, without --new.'
    );
  }
  return problems.some(({ kind }) => kind === 'document')
    ? 'Texts are damaged and cannot be rebuilt: delete these documents with `priorart delete` and ingest their files again.'
    : 'Run `priorart check --repair`.';
}
