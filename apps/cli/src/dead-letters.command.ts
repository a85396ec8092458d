import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { Store } from '@app/clickhouse';
import {
  DeadLetterReplay,
  ReplayModule,
  type ReplayedLetter,
} from '../../ingest/src/replay.module.js';
import { say, UsageError, withModule } from './context.js';
import { DeadLettersReader, type Letter, type LetterFilter } from './dead-letters.reader.js';

interface Options {
  readonly project?: string;
  readonly reason?: string;
  readonly state: LetterFilter['state'];
  readonly limit: string;
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
    .option('--state <state>', 'open, replayed or dropped', 'open')
    .option('--limit <n>', 'at most this many', '100');
}

async function list(options: Options): Promise<void> {
  await withReader(async (reader) => {
    const reasons = await reader.reasons(options);
    if (reasons.length === 0) return say(`There are no ${options.state} dead letters.`);
    for (const { letters, kind, reason } of reasons)
      say(`${String(letters).padStart(8)}  ${kind}  ${reason}`);
    say('');
    for (const letter of await reader.list(options, Number(options.limit))) {
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
    const [letter] = await reader.byId([id]);
    if (letter === undefined) throw new UsageError(`There is no dead letter ${id}.`);
    const { item, received: _, ...rest } = letter;
    say(JSON.stringify({ ...rest, received_at: received(letter) }, null, 2));
    say(item);
  });
}

async function replay(ids: readonly string[], options: Options): Promise<void> {
  if (options.item && ids.length !== 1)
    throw new UsageError('--item corrects one letter: give its id.');
  await withModule(register, async (context) => {
    const reader = new DeadLettersReader(context.get(Store));
    const letters = await chosen(reader, ids, options);
    for (const letter of letters) {
      const corrected = options.item ? readFileSync(options.item) : Buffer.from(letter.item);
      const again = await context.get(DeadLetterReplay).replay(replayed(letter, corrected));
      await reader.mark([letter], 'replayed');
      say(`${letter.id}  ${again === undefined ? 'sent' : `rejected again: ${again}`}`);
    }
    say(`${letters.length} letters were sent again.`);
  });
}

async function drop(ids: readonly string[], options: Options): Promise<void> {
  await withReader(async (reader) => {
    const letters = await chosen(reader, ids, options);
    await reader.mark(letters, 'dropped');
    say(`${letters.length} letters were dropped.`);
  });
}

/** By id, or by filter; never everything by accident. */
async function chosen(
  reader: DeadLettersReader,
  ids: readonly string[],
  options: Options,
): Promise<Letter[]> {
  if (ids.length > 0) return reader.byId(ids);
  if (!options.project && !options.reason)
    throw new UsageError('Say which: ids, --project or --reason.');
  return reader.list(options, Number(options.limit));
}

function withReader(work: (reader: DeadLettersReader) => Promise<void>): Promise<void> {
  return withModule(register, (context) => work(new DeadLettersReader(context.get(Store))));
}

function replayed(letter: Letter, item: Buffer): ReplayedLetter {
  const { kind, project_id: projectId, call_id: callId, user_id: userId } = letter;
  return { kind: kind as ReplayedLetter['kind'], projectId, callId, userId, item };
}

const received = (letter: Letter) => new Date(Number(letter.received) / 1000).toISOString();
