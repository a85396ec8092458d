import 'reflect-metadata';
import { Command } from 'commander';
import { version } from '@app/config';
import { operatorText } from './operator-error.js';

/** The command of the command line is loaded alone: all of them together take a second to load. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  migrate: async () => (await import('./migrate.command.js')).migrateCommand(),
  doctor: async () => (await import('./doctor.command.js')).doctorCommand(),
  keys: async () => (await import('./keys.command.js')).keysCommand(),
  sessions: async () => (await import('./sessions.command.js')).sessionsCommand(),
  ledger: async () => (await import('./ledger.command.js')).ledgerCommand(),
  'dead-letters': async () => (await import('./dead-letters.command.js')).deadLettersCommand(),
  alerts: async () => (await import('./alerts.command.js')).alertsCommand(),
  prices: async () => (await import('./prices.command.js')).pricesCommand(),
  replay: async () => (await import('./repair.commands.js')).replayCommand(),
  rebuild: async () => (await import('./repair.commands.js')).rebuildCommand(),
  sweep: async () => (await import('./repair.commands.js')).sweepCommand(),
  audit: async () => (await import('./audit.command.js')).auditCommand(),
  backup: async () => (await import('./backup.command.js')).backupCommand(),
  restore: async () => (await import('./restore.command.js')).restoreCommand(),
  erase: async () => (await import('./erase.command.js')).eraseCommand(),
  expire: async () => (await import('./erase.command.js')).expireCommand(),
};

const program = new Command('heddle')
  .description("Heddle's commands for operators")
  .version(version())
  // Otherwise `audit export --scope` sets the option of `audit`, and exports everything.
  .enablePositionalOptions();

try {
  const requested = COMMANDS[process.argv[2] ?? ''];
  for (const load of requested ? [requested] : Object.values(COMMANDS)) {
    program.addCommand(await load());
  }
  await program.parseAsync();
  process.exit();
} catch (error) {
  process.stderr.write(`heddle: ${operatorText(error)}\n`);
  process.exit(1);
}
