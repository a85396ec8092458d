import { readFileSync } from 'node:fs';
import { Command, Option } from 'commander';
import { Store } from '@app/clickhouse';
import {
  DeadLetterReplay,
  ReplayModule,
  type ReplayedDeadLetter,
} from '../../ingest/src/replay.module.js';
import { recordAct } from './audit.command.js';
import { positiveOption, say, UsageError, withModule } from './context.js';
import {
  DeadLettersReader,
  type StoredDeadLetter,
  type DeadLetterFilter,
} from './dead-letters.reader.js';
import { unsendable } from './unsendable.js';

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
    .description('facts that could not be stored: look at them, send them again, or drop them')
    .addCommand(filtered('list', 'count them by reason and list them').action(list))
    .addCommand(new Command('show').description('one letter whole').argument('<id>').action(show))
    .addCommand(
      filtered(
        'replay',
        'send letters in again; those that are still wrong become dead letters again',
      )
        .argument('[ids...]')
        .option('--item <file>', 'send this corrected item instead (one id only)')
        .action(replay),
    )
    .addCommand(filtered('drop', 'mark letters as not wanted').argument('[ids...]').action(drop));
}

function filtered(name: string, about: string): Command {
  return new Command(name)
    .description(about)
    .option('--project <entity/project>', 'only of this project')
    .option('--reason <text>', 'only with this in the reason')
    .addOption(
      new Option('--state <state>').choices(['open', 'replayed', 'dropped']).default('open'),
    )
    .option('--limit <n>', 'at most this many', (text) => positiveOption(text, '--limit'), 100);
}

async function list(options: Options): Promise<void> {
  await withReader(async (reader) => {
    const reasons = await reader.reasons(options);
    if (reasons.length === 0) return say(`There are no ${options.state} dead letters.`);
    for (const { letters, kind, reason } of reasons)
      say(`${String(letters).padStart(8)}  ${kind}  ${reason}`);
    say('');
    for (const letter of await reader.list(options, options.limit)) {
      const { id, project_id, call_id, kind, reason } = letter;
      say(
        [id, received(letter), project_id || '-', kind, call_id || '-', reason.slice(0, 100)].join(
          '  ',
        ),
      );
    }
  });
}

async function show(id: string): Promise<void> {
  await withReader(async (reader) => {
    const [letter] = known([id], await reader.byId([id]));
    const { item, received: _, ...rest } = letter!;
    say(JSON.stringify({ ...rest, received_at: received(letter!) }, null, 2));
    say(item);
  });
}

async function replay(ids: readonly string[], options: Options): Promise<void> {
  if (options.item !== undefined && ids.length !== 1)
    throw new UsageError('--item corrects one letter: give its id.');
  const corrected = options.item === undefined ? undefined : jsonIn(options.item);
  await withModule(register, async (context) => {
    const reader = new DeadLettersReader(context.get(Store));
    const letters = await chosen(reader, ids, options);
    const sent: StoredDeadLetter[] = [];
    try {
      for (const letter of letters) {
        const item = corrected ?? Buffer.from(letter.item);
        const why = unsendable(letter, item.toString('utf8'));
        if (why !== undefined) {
          say(`${letter.id}  not sent: ${why}`);
          continue;
        }
        const again = await context.get(DeadLetterReplay).replay(replayed(letter, item));
        sent.push(letter);
        await reader.mark([letter], 'replayed');
        say(`${letter.id}  ${again === undefined ? 'sent' : `rejected again: ${again}`}`);
      }
    } finally {
      // Also when Redis is full or away before the last one: what was sent, was sent.
      if (sent.length > 0) await recordAct(act('dead-letters.replay', sent, options));
    }
    say(`${sent.length} dead letters were sent again.`);
    const left = letters.length - sent.length;
    if (left === 0) return;
    say(`${left} dead letters were not sent and stay open.`);
    process.exitCode = 1;
  });
}

async function drop(ids: readonly string[], options: Options): Promise<void> {
  await withReader(async (reader) => {
    const letters = await chosen(reader, ids, options);
    await reader.mark(letters, 'dropped');
    await recordAct(act('dead-letters.drop', letters, options));
    say(`${letters.length} dead letters were dropped.`);
  });
}

const act = (action: string, letters: readonly StoredDeadLetter[], { project = '' }: Options) => ({
  action,
  projectId: project,
  detail: { letters: letters.slice(0, 100).map(({ id }) => id), count: letters.length },
});

/** By id, or by filter; never everything by accident. */
async function chosen(
  reader: DeadLettersReader,
  ids: readonly string[],
  options: Options,
): Promise<StoredDeadLetter[]> {
  if (ids.length > 0) return known(ids, await reader.byId(ids));
  if (!options.project && !options.reason)
    throw new UsageError('Say which: ids, --project or --reason.');
  return reader.list(options, options.limit);
}

function known(ids: readonly string[], letters: StoredDeadLetter[]): StoredDeadLetter[] {
  const missing = ids.filter((id) => !letters.some((letter) => letter.id === id));
  if (missing.length > 0) throw new UsageError(`There is no dead letter ${missing.join(', ')}.`);
  return letters;
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

function replayed(letter: StoredDeadLetter, item: Buffer): ReplayedDeadLetter {
  const { kind, project_id: projectId, call_id: callId, user_id: userId } = letter;
  return { kind: kind as ReplayedDeadLetter['kind'], projectId, callId, userId, item };
}

const received = (letter: StoredDeadLetter) =>
  new Date(Number(letter.received) / 1000).toISOString();
