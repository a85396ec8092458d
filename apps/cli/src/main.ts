import 'reflect-metadata';
import { Command } from 'commander';
import { version } from '@app/config';
import { auditCommand } from './audit.command.js';
import { deadLettersCommand } from './dead-letters.command.js';
import { eraseCommand, expireCommand } from './erase.command.js';
import { keysCommand } from './keys.command.js';
import { ledgerCommand } from './ledger.command.js';
import { migrateCommand } from './migrate.command.js';
import { operatorText } from './operator-error.js';
import { pricesCommand } from './prices.command.js';
import { rebuildCommand, replayCommand, sweepCommand } from './repair.commands.js';
import { sessionsCommand } from './sessions.command.js';

const program = new Command('heddle')
  .description("Heddle's commands for operators")
  .version(version())
  // Otherwise `audit export --scope` sets the option of `audit`, and exports everything.
  .enablePositionalOptions()
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(sessionsCommand())
  .addCommand(ledgerCommand())
  .addCommand(deadLettersCommand())
  .addCommand(pricesCommand())
  .addCommand(replayCommand())
  .addCommand(rebuildCommand())
  .addCommand(sweepCommand())
  .addCommand(auditCommand())
  .addCommand(eraseCommand())
  .addCommand(expireCommand());

try {
  await program.parseAsync();
  process.exit();
} catch (error) {
  process.stderr.write(`heddle: ${operatorText(error)}\n`);
  process.exit(1);
}
