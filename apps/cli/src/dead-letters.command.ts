import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import {
  DeadLetterReplay,
  DeadLettersReader,
  ReplayModule,
  type DeadLetterFilter,
  type ReplayOutcome,
  type StoredDeadLetter,
} from '../../ingest/src/replay.module.js';
import { recordAction } from './audit.command.js';
import {
  JSON_OPTION,
  positiveOption,
  report,
  say,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';

interface Options extends JsonOption {
  readonly project?: string;
  readonly reason?: string;
  readonly state: DeadLetterFilter['state'];
  readonly limit: number;
  readonly item?: string;
}

const register = ReplayModule.register.bind(ReplayModule);

export function deadLettersCommand(): Command {
  return new Command('dead-letters')
    .description('list, show, replay or drop facts that could not be stored')
    .addCommand(filtered('list', 'count dead letters by reason and list them').action(list))
    .addCommand(
      new Command('show')
        .description('show one dead letter')
        .argument('<id>')
        .option(...JSON_OPTION)
        .action(show),
    )
    .addCommand(
      filtered('replay', 'ingest dead letters again; invalid ones become dead letters again')
        .argument('[ids...]')
        .option(
          '--item <file>',
          'replay the item in this file instead (one id only): JSON as in a batch, see docs/operations/dead-letters.md',
        )
        .action(replay),
    )
    .addCommand(filtered('drop', 'mark dead letters as dropped').argument('[ids...]').action(drop));
}

function filtered(name: string, about: string): Command {
  return new Command(name)
    .description(about)
    .option('--project <entity/project>', 'only dead letters of this project')
    .option('--reason <text>', 'only dead letters with this text in the reason')
    .addOption(
      new Option('--state <state>').choices(['open', 'replayed', 'dropped']).default('open'),
    )
    .option('--limit <n>', 'at most this many', (text) => positiveOption(text, '--limit'), 100)
    .option(...JSON_OPTION);
}

async function list(options: Options): Promise<void> {
  await withReader(async (reader) => {
    const filter = filterOf(options);
    const reasons = await reader.reasons(filter);
    const deadLetters = reasons.length === 0 ? [] : await reader.list(filter, options.limit);
    const shown = deadLetters.map(withTime);
    const lines = [
      ...reasons.map(
        ({ count, kind, reason }) => `${String(count).padStart(8)}  ${kind}  ${reason}`,
      ),
      '',
      ...shown.map(({ id, received_at, project_id, kind, call_id, reason }) =>
        [id, received_at, project_id || '-', kind, call_id || '-', reason.slice(0, 100)].join('  '),
      ),
    ];
    const none = [`There are no ${options.state} dead letters.`];
    report(options, { reasons, dead_letters: shown }, reasons.length === 0 ? none : lines);
  });
}

async function show(id: string, options: JsonOption): Promise<void> {
  await withReader(async (reader) => {
    const [deadLetter] = known([id], await reader.byId([id])) as [StoredDeadLetter];
    const item = (await reader.item(deadLetter)).toString('utf8');
    const shown = withTime(deadLetter);
    report(options, { ...shown, item }, [JSON.stringify(shown, null, 2), item]);
  });
}

async function replay(ids: readonly string[], options: Options): Promise<void> {
  if (options.item !== undefined && ids.length !== 1)
    throw new UsageError('--item corrects one dead letter: give its id.');
  const corrected = options.item === undefined ? undefined : jsonIn(options.item);
  await withModule(register, async (context) => {
    const reader = context.get(DeadLettersReader);
    const deadLetters = await chosen(reader, ids, options);
    const outcomes: Outcome[] = [];
    const done: StoredDeadLetter[] = [];
    try {
      for (const deadLetter of deadLetters) {
        const item = corrected ?? (await reader.item(deadLetter));
        const replayed = await context.get(DeadLetterReplay).replay(deadLetter, item);
        const outcome = { id: deadLetter.id, ...replayed };
        outcomes.push(outcome);
        if (!options.json) say(`${outcome.id}  ${TEXTS[outcome.state](outcome.reason)}`);
        if (outcome.state === 'refused') continue;
        done.push(deadLetter);
        await reader.mark([deadLetter], 'replayed');
      }
    } finally {
      // Recorded also when Redis is full or unavailable before the last dead letter.
      if (done.length > 0) await recordAction(auditEntry('dead-letters.replay', done, options));
    }
    const [open, rejected] = (['refused', 'rejected'] as const).map(
      (state) => outcomes.filter((outcome) => outcome.state === state).length,
    ) as [number, number];
    report(options, { dead_letters: outcomes }, [
      `Replayed ${done.length} dead letters.`,
      ...(open > 0 ? [`${open} dead letters were not replayed and stay open.`] : []),
      ...(rejected > 0 ? [`${rejected} were rejected again and are new dead letters.`] : []),
    ]);
    if (open + rejected > 0) process.exitCode = 1;
  });
}

interface Outcome extends ReplayOutcome {
  readonly id: string;
}

const TEXTS = {
  replayed: () => 'replayed',
  rejected: (reason: string) => `rejected again: ${reason}`,
  refused: (reason: string) => `not replayed: ${reason}`,
} as const;

async function drop(ids: readonly string[], options: Options): Promise<void> {
  await withReader(async (reader) => {
    const deadLetters = await chosen(reader, ids, options);
    await reader.mark(deadLetters, 'dropped');
    await recordAction(auditEntry('dead-letters.drop', deadLetters, options));
    const dropped = deadLetters.map(({ id }) => id);
    report(options, { dropped }, [`Dropped ${dropped.length} dead letters.`]);
  });
}

const auditEntry = (
  action: string,
  deadLetters: readonly StoredDeadLetter[],
  { project = '' }: Options,
) => ({
  action,
  projectId: project,
  detail: { ids: deadLetters.slice(0, 100).map(({ id }) => id), count: deadLetters.length },
});

/** Selects by id or by filter. Without either it refuses, so that no typo selects everything. */
async function chosen(
  reader: DeadLettersReader,
  ids: readonly string[],
  options: Options,
): Promise<StoredDeadLetter[]> {
  if (ids.length > 0) return known(ids, await reader.byId(ids));
  if (!options.project && !options.reason)
    throw new UsageError('Select dead letters by ids, --project or --reason.');
  return reader.list(filterOf(options), options.limit);
}

function known(ids: readonly string[], deadLetters: StoredDeadLetter[]): StoredDeadLetter[] {
  const missing = ids.filter((id) => !deadLetters.some((deadLetter) => deadLetter.id === id));
  if (missing.length > 0) throw new UsageError(`There is no dead letter ${missing.join(', ')}.`);
  return deadLetters;
}

function jsonIn(file: string): Buffer {
  try {
    const bytes = readFileSync(file);
    JSON.parse(bytes.toString('utf8'));
    return bytes;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new UsageError(code ? message : `${file} is not JSON: ${message}`);
  }
}

function withReader(work: (reader: DeadLettersReader) => Promise<void>): Promise<void> {
  return withModule(register, (context) => work(context.get(DeadLettersReader)));
}

const filterOf = ({ project = '*', reason, state }: Options): DeadLetterFilter => ({
  scope: project,
  reason,
  state,
});

function withTime({ received, bytes, ...rest }: StoredDeadLetter) {
  const received_at = new Date(Number(received) / 1000).toISOString();
  return { ...rest, received_at, bytes: Number(bytes) };
}
