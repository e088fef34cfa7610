import type { Command } from 'commander';
import type { Coverage, CoverageCountry } from '../search/types.js';
import { dataCommand, OF_A_CLUSTER, withSettings } from './options.js';
import { count, counted, print } from './output.js';
import { coverageFor } from './publications.js';

export function coverageCommand(): Command {
  const command = dataCommand(
    'coverage',
    'show the contents of the index: countries, kinds, dates, languages',
  )
    .addHelpText(
      'after',
      `
With --json the output is exactly the body of GET /api/v1/stats/coverage.

Examples:
  priorart coverage --data ./patents
  priorart coverage --json`,
    )
    .action(run);
  return withSettings(command, OF_A_CLUSTER);
}

async function run(flags: Record<string, unknown>): Promise<void> {
  const coverage = await coverageFor(flags);
  print(coverage, flags['json'] === true, () => textOf(coverage));
}

function textOf({ total, chunks, by_country: countries, index }: Coverage): string {
  return [
    `${counted(total, 'publication')}, ${counted(chunks, 'passage')}, model ${index.model}`,
    ...Object.entries(countries).map(([country, found]) => countryText(country, found)),
  ].join('\n');
}

function countryText(country: string, { total, by_kind, languages, ...dates }: CoverageCountry): string {
  const kinds = Object.entries(by_kind).map(([kind, number]) => `${kind} ${count(number)}`);
  const range = (name: string, days: { min: string; max: string } | undefined) =>
    days ? [`${name} ${days.min} to ${days.max}`] : [];
  const facts = [
    kinds.join(', '),
    ...range('filed', dates.filing_date),
    ...range('published', dates.publication_date),
    ...(languages.length > 0 ? [`in ${languages.join(', ')}`] : []),
  ];
  return `  ${country}  ${count(total).padStart(9)}  ${facts.join('; ')}`;
}
