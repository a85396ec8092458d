import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { Store } from '@app/clickhouse';
import {
  DeadLetterReplay,
  ReplayModule,
  type ReplayedDeadLetter,
} from '../../ingest/src/replay.module.js';
import { recordAction } from './audit.command.js';
import { positiveOption, say, UsageError, withModule } from './context.js';
import {
  DeadLettersReader,
  type StoredDeadLetter,
  type DeadLetterFilter,
} from './dead-letters.reader.js';
import { replayRefusal } from './replay-refusal.js';

interface Options {
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
      new Command('show').description('show one dead letter').argument('<id>').action(show),
    )
    .addCommand(
      filtered('replay', 'ingest dead letters again; invalid ones become dead letters again')
        .argument('[ids...]')
        .option('--item <file>', 'replay this corrected item instead (one id only)')
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
    .option('--limit <n>', 'at most this many', (text) => positiveOption(text, '--limit'), 100);
}

async function list(options: Options): Promise<void> {
  await withReader(async (reader) => {
    const reasons = await reader.reasons(options);
    if (reasons.length === 0) return say(`There are no ${options.state} dead letters.`);
    for (const { count, kind, reason } of reasons)
      say(`${String(count).padStart(8)}  ${kind}  ${reason}`);
    say('');
    for (const deadLetter of await reader.list(options, options.limit)) {
      const { id, project_id, call_id, kind, reason } = deadLetter;
      say(
        [
          id,
          received(deadLetter),
          project_id || '-',
          kind,
          call_id || '-',
          reason.slice(0, 100),
        ].join('  '),
      );
    }
  });
}

async function show(id: string): Promise<void> {
  await withReader(async (reader) => {
    const [deadLetter] = known([id], await reader.byId([id]));
    const { item, received: _, ...rest } = deadLetter!;
    say(JSON.stringify({ ...rest, received_at: received(deadLetter!) }, null, 2));
    say(item);
  });
}

async function replay(ids: readonly string[], options: Options): Promise<void> {
  if (options.item !== undefined && ids.length !== 1)
    throw new UsageError('--item corrects one dead letter: give its id.');
  const corrected = options.item === undefined ? undefined : jsonIn(options.item);
  await withModule(register, async (context) => {
    const reader = new DeadLettersReader(context.get(Store));
    const deadLetters = await chosen(reader, ids, options);
    const done: StoredDeadLetter[] = [];
    try {
      for (const deadLetter of deadLetters) {
        const item = corrected ?? Buffer.from(deadLetter.item);
        const refusal = replayRefusal(deadLetter, item.toString('utf8'));
        if (refusal !== undefined) {
          say(`${deadLetter.id}  not replayed: ${refusal}`);
          continue;
        }
        const reason = await context.get(DeadLetterReplay).replay(replayed(deadLetter, item));
        done.push(deadLetter);
        await reader.mark([deadLetter], 'replayed');
        say(`${deadLetter.id}  ${reason === undefined ? 'replayed' : `rejected again: ${reason}`}`);
      }
    } finally {
      // Recorded also when Redis is full or unavailable before the last dead letter.
      if (done.length > 0) await recordAction(auditEntry('dead-letters.replay', done, options));
    }
    say(`Replayed ${done.length} dead letters.`);
    const open = deadLetters.length - done.length;
    if (open === 0) return;
    say(`${open} dead letters were not replayed and stay open.`);
    process.exitCode = 1;
  });
}

async function drop(ids: readonly string[], options: Options): Promise<void> {
  await withReader(async (reader) => {
    const deadLetters = await chosen(reader, ids, options);
    await reader.mark(deadLetters, 'dropped');
    await recordAction(auditEntry('dead-letters.drop', deadLetters, options));
    say(`Dropped ${deadLetters.length} dead letters.`);
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
  return reader.list(options, options.limit);
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
  return withModule(register, (context) => work(new DeadLettersReader(context.get(Store))));
}

function replayed(deadLetter: StoredDeadLetter, item: Buffer): ReplayedDeadLetter {
  const { kind, project_id: projectId, call_id: callId, user_id: userId, reason } = deadLetter;
  return { kind: kind as ReplayedDeadLetter['kind'], projectId, callId, userId, reason, item };
}

const received = (deadLetter: StoredDeadLetter) =>
  new Date(Number(deadLetter.received) / 1000).toISOString();
