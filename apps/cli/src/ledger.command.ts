import { Command } from 'commander';
import { Store } from '@app/clickhouse';
import { Ledger } from '@app/queue';
import { RepairModule } from '../../worker/src/repair.module.js';
import { say, UsageError, withModule } from './context.js';
import { readLedger, type LedgerLine } from './ledger.reader.js';

const EQUATIONS = [
  'received = settled + pending',
  'settled = Σ facts of the receipts',
  'every receipted fact is in the log or a dead letter',
  'every started call knows all its facts',
];

export function ledgerCommand(): Command {
  return new Command('ledger')
    .description(
      'show for every project whether each accepted fact is accounted for; exit code 1 if not',
    )
    .option('--project <entity/project>', 'only this project')
    .option('--json', 'one JSON document instead of a table')
    .action(async (options: { project?: string; json?: boolean }) => {
      const lines = await withModule(
        (config, logger) => RepairModule.register(config, logger),
        (context) => readLedger(context.get(Ledger), context.get(Store), options.project),
      );
      if (options.project !== undefined && lines.length === 0)
        throw new UsageError(`No fact of ${options.project} was ever received.`);
      if (options.json) say(JSON.stringify({ equations: EQUATIONS, projects: lines }));
      else print(lines);
      if (!lines.every(({ holds }) => holds.every(Boolean))) process.exitCode = 1;
    });
}

function print(lines: readonly LedgerLine[]): void {
  EQUATIONS.forEach((equation, i) => say(`(${i + 1}) ${equation}`));
  say('');
  say(
    row([
      'project',
      'received',
      'settled',
      'pending',
      'receipts',
      'missing',
      'stale',
      '(1)(2)(3)(4)',
    ]),
  );
  for (const line of lines) {
    const marks = line.holds.map((holds) => (holds ? ' ok' : 'NO!')).join('');
    const { project, received, settled, pending, receipts, missingFacts, staleCalls } = line;
    say(
      row([
        project || '(none)',
        received,
        settled,
        pending,
        receipts,
        missingFacts,
        staleCalls,
        marks,
      ]),
    );
  }
  const total = (of: (line: LedgerLine) => number) =>
    lines.reduce((sum, line) => sum + of(line), 0);
  say(
    row([
      'total',
      total((l) => l.received),
      total((l) => l.settled),
      total((l) => l.pending),
      total((l) => l.receipts),
      total((l) => l.missingFacts),
      total((l) => l.staleCalls),
      '',
    ]),
  );
}

const row = ([first, ...rest]: readonly (string | number)[]) =>
  String(first).padEnd(32) + rest.map((cell) => String(cell).padStart(12)).join('');
