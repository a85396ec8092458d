import { Command } from 'commander';
import { EQUATIONS } from '@app/queue';
import {
  CommandsModule,
  LedgerReader,
  totalOf,
  type LedgerLine,
} from '../../worker/src/commands.module.js';
import { JSON_OPTION, report, UsageError, withModule, type JsonOption } from './context.js';

export function ledgerCommand(): Command {
  return new Command('ledger')
    .description(
      'check for every project that each accepted fact is accounted for; exit code 1 if not',
    )
    .option('--project <entity/project>', 'only this project')
    .option(...JSON_OPTION)
    .action(async (options: JsonOption & { project?: string }) => {
      const lines = await withModule(
        (config, logger) => CommandsModule.register(config, logger),
        (context) =>
          context.get(LedgerReader).read(options.project ? { projectId: options.project } : {}),
      );
      if (options.project !== undefined && lines.length === 0)
        throw new UsageError(`No facts of ${options.project} were received.`);
      const { project: _, ...total } = totalOf(lines);
      const table = tableOf(lines, { project: 'total', ...total });
      report(options, { equations: EQUATIONS, total, projects: lines }, table);
      if (!total.holds.every(Boolean)) process.exitCode = 1;
    });
}

const COLUMNS = [
  'received',
  'settled',
  'pending',
  'receipts',
  'missing',
  'stale',
  'other usage',
  '(1)(2)(3)(4)(5)',
];

function tableOf(lines: readonly LedgerLine[], total: LedgerLine): string[] {
  const rows = [...lines, total].map((line) => {
    const { received, settled, pending, receipts, missingFacts, staleCalls } = line;
    const marks = line.holds.map((holds) => (holds ? ' ok' : 'NO!')).join('');
    const counts = [received, settled, pending, receipts, missingFacts, staleCalls];
    return row(line.project || '(none)', [...counts, line.callsWithOtherUsage, marks]);
  });
  const equations = EQUATIONS.map((equation, i) => `(${i + 1}) ${equation}`);
  return [...equations, '', row('project', COLUMNS), ...rows];
}

const row = (first: string, rest: readonly (string | number)[]) =>
  first.padEnd(32) + rest.map((cell) => String(cell).padStart(13)).join('');
