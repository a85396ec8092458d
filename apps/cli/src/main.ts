import 'reflect-metadata';
import { Command } from 'commander';
import { version } from '@app/config';
import { HeddleError, type ErrorCode } from '@app/errors';
import { auditCommand } from './audit.command.js';
import { deadLettersCommand } from './dead-letters.command.js';
import { eraseCommand, expireCommand } from './erase.command.js';
import { keysCommand } from './keys.command.js';
import { ledgerCommand } from './ledger.command.js';
import { migrateCommand } from './migrate.command.js';
import { pricesCommand } from './prices.command.js';
import { rebuildCommand, replayCommand, sweepCommand } from './repair.commands.js';

const program = new Command('heddle')
  .description("Heddle's commands for operators")
  .version(version())
  .addCommand(migrateCommand())
  .addCommand(keysCommand())
  .addCommand(ledgerCommand())
  .addCommand(deadLettersCommand())
  .addCommand(pricesCommand())
  .addCommand(replayCommand())
  .addCommand(rebuildCommand())
  .addCommand(sweepCommand())
  .addCommand(auditCommand())
  .addCommand(eraseCommand())
  .addCommand(expireCommand());

/** Errors with these codes have a sentence for the operator; every other error is printed with its stack. */
const FOR_OPERATORS: ReadonlySet<ErrorCode> = new Set([
  'startup_failed',
  'migration_refused',
  'invalid_usage',
  'storage_unavailable',
  'queue_unavailable',
  'queue_not_durable',
  'write_unconfirmed',
  'queue_full',
  'rate_limited',
  'erasure_failed',
  'rebuild_shrinks',
  'rewrite_running',
  'lock_lost',
]);

try {
  await program.parseAsync();
  process.exit();
} catch (error) {
  const isForOperators = error instanceof HeddleError && FOR_OPERATORS.has(error.code);
  process.stderr.write(`heddle: ${isForOperators ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
