/** Assembles the commands, each from a file of its own, and turns errors into exit codes. */
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { accountsCommand } from './accounts.js';
import { calibrateCommand } from './calibrate.js';
import { checkCommand } from './check.js';
import { coverageCommand } from './coverage.js';
import { deleteCommand } from './delete.js';
import { drawingsCommand } from './drawings.js';
import { embedCommand } from './embed.js';
import { evalCommand } from './eval.js';
import { explainCommand } from './explain.js';
import { exportCommand } from './export.js';
import { grantsCommand } from './grants.js';
import { helpCommand } from './help.js';
import { ingestCommand } from './ingest.js';
import { keysCommand } from './keys.js';
import { logsCommand } from './logs.js';
import { maintenanceCommand } from './maintenance.js';
import { mcpCommand } from './mcp.js';
import { messagesOf } from './messages.js';
import { migrateCommand } from './migrate.js';
import { checkEngine } from './options.js';
import { EXIT, endWithReader, inOneLine, reportError } from './output.js';
import { reembedCommand } from './reembed.js';
import { reindexCommand } from './reindex.js';
import { searchCommand } from './search.js';
import { serveCommand } from './serve.js';
import { showCommand } from './show.js';
import { snapshotCommand } from './snapshot.js';
import { statsCommand } from './stats.js';
import { usageCommand } from './usage.js';
import { unknownVariables } from './variables.js';
import { tellOfWaits } from './wait-notice.js';
import { namesFirst } from './word-order.js';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// Files of a data folder, made by this process and its threads, are readable by their owner only.
process.umask(0o077);

const program = new Command('priorart')
  .description('Semantic search over patents of US, KR, JP, CN and EP')
  .version(version)
  // As the command's own help shows it.
  .configureHelp({ subcommandTerm: (command) => `${command.name()} ${command.usage()}` })
  .showHelpAfterError('(run with --help for options and examples)')
  .exitOverride((error) => {
    // Help and version are answers. Everything else at which commander exits is wrong usage.
    process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
  });

for (const command of [
  ingestCommand,
  searchCommand,
  statsCommand,
  showCommand,
  coverageCommand,
  serveCommand,
  mcpCommand,
  explainCommand,
  exportCommand,
  evalCommand,
  embedCommand,
  calibrateCommand,
  deleteCommand,
  checkCommand,
  reembedCommand,
  reindexCommand,
  drawingsCommand,
  snapshotCommand,
  migrateCommand,
  accountsCommand,
  keysCommand,
  grantsCommand,
  usageCommand,
  logsCommand,
  maintenanceCommand,
]) {
  adopt(command(), program);
}
addHelp(program);

/** Adds a command whose subcommands inherit the settings, such as the exit code of wrong usage. */
function adopt(command: Command, parent: Command): void {
  parent.addCommand(command.copyInheritedSettings(parent));
  for (const inner of command.commands) inner.copyInheritedSettings(command);
  if (command.commands.length > 0) addHelp(command);
}

function addHelp(group: Command): void {
  group.helpCommand(false).addCommand(helpCommand().copyInheritedSettings(group));
}

program.hook('preAction', (_, command) => {
  endWithReader();
  messagesOf(command);
  checkEngine(command);
  for (const warning of unknownVariables(process.env))
    process.stderr.write(`priorart: warning: ${inOneLine(warning)}\n`);
  tellOfWaits(command);
});

try {
  await program.parseAsync(namesFirst(program, process.argv.slice(2)), { from: 'user' });
} catch (error) {
  process.exitCode = reportError(error);
}
