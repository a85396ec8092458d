import 'reflect-metadata';
import { Command } from 'commander';
import { version } from '@app/config';
import { migrateCommand } from './migrate.command.js';

const program = new Command('heddle')
  .description("Heddle's commands for operators")
  .version(version())
  .addCommand(migrateCommand());

try {
  await program.parseAsync();
} catch (error) {
  const isForPeople =
    error instanceof Error && ['StartProblem', 'MigrationError'].includes(error.name);
  process.stderr.write(`heddle: ${isForPeople ? error.message : (error as Error).stack}\n`);
  process.exit(1);
}
