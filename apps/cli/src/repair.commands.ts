import { Command } from 'commander';
import { nowMillis } from '@app/wire';
import {
  CallRefolder,
  CallsRebuild,
  CallSweeper,
  CommandsModule,
  RecordsRebuild,
  type Checksums,
} from '../../worker/src/commands.module.js';
import { recordAction } from './audit.command.js';
import {
  timeOption,
  positiveOption,
  progressLine,
  say,
  UsageError,
  withModule,
} from './context.js';
import { pacer, stepOf } from './pacer.js';

const register = CommandsModule.register.bind(CommandsModule);

export function replayCommand(): Command {
  return new Command('replay')
    .description(
      'fold calls again from the log, selected by project or by the time their facts were received',
    )
    .option('--project <entity/project>', 'only this project')
    .option('--from <time>', 'only facts received at or after this time')
    .option('--to <time>', 'only facts received before this time')
    .option('--rate <calls>', 'at most this many calls a second', '5000')
    .action(async (options: { project?: string; from?: string; to?: string; rate: string }) => {
      if (!options.project && !options.from)
        throw new UsageError('Select what to replay: --project, --from, or both.');
      const range = {
        ...(options.project ? { projectId: options.project } : {}),
        ...(options.from ? { receivedFrom: timeOption(options.from) } : {}),
        ...(options.to ? { receivedBefore: timeOption(options.to) } : {}),
      };
      const rate = positiveOption(options.rate, '--rate');
      const pause = pacer(rate);
      const show = progressLine('calls replayed');
      const { done, deadLettered } = await withModule(register, async (context) => {
        let last = { done: 0, deadLettered: 0 };
        for await (const step of context.get(CallRefolder).refoldRange(range, '', stepOf(rate))) {
          last = step;
          show(step.done, step.total);
          await pause(step.done);
        }
        return last;
      });
      const detail = { from: options.from, to: options.to, calls: done - deadLettered };
      await recordAction({ action: 'replay', projectId: options.project ?? '', detail });
      say(`Folded ${done - deadLettered} calls again.`);
      sayDeadLettered(deadLettered);
    });
}

export function sweepCommand(): Command {
  return new Command('sweep')
    .description('repair calls that lack facts of the log')
    .option('--from <time>', 'check facts stored since this time, instead of since the last sweep')
    .action(async (options: { from?: string }) => {
      const from = options.from === undefined ? undefined : timeOption(options.from);
      const { repaired, deadLettered } = await withModule(register, (context) => {
        const sweeper = context.get(CallSweeper);
        return from === undefined ? sweeper.sweep() : sweeper.sweepRange(from, nowMillis());
      });
      say(`Repaired ${repaired} calls.`);
      sayDeadLettered(deadLettered);
    });
}

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .description('rebuild the table of calls from the log, while ingest continues')
    .option(
      '--records',
      'rebuild objects, tags, aliases, tables, feedback and prices instead of calls',
    )
    .option(
      '--allow-fewer-rows',
      'also when the log accounts for fewer rows than the tables have; the others are deleted',
    )
    .action(async (options: { records?: boolean; allowFewerRows?: boolean }) => {
      const { allowFewerRows = false } = options;
      if (options.records) return rebuildRecords(allowFewerRows);
      const show = progressLine('calls folded');
      const { before, after, refolded, deadLettered } = await withModule(register, (context) =>
        context.get(CallsRebuild).run(({ done, total }) => show(done, total), { allowFewerRows }),
      );
      await recordAction({ action: 'rebuild', projectId: '', detail: { calls: after.calls.rows } });
      say(`before  ${textOf(before)}`);
      say(`after   ${textOf(after)}`);
      say(`Folded ${refolded} calls with newer facts again.`);
      sayDeadLettered(deadLettered);
      const isSame = textOf(before) === textOf(after);
      say(
        isSame
          ? 'Both tables have the same content.'
          : 'The tables differ; the new one matches the log.',
      );
    });
}

const textOf = ({ calls, root_usage }: Checksums) =>
  `${calls.rows} calls, checksum ${calls.sum}; ${root_usage.rows} usages, checksum ${root_usage.sum}`;

function sayDeadLettered(calls: number): void {
  if (calls > 0) say(`${calls} calls cannot be stored; \`dead-letters list\` shows their facts.`);
}

async function rebuildRecords(allowFewerRows: boolean): Promise<void> {
  const show = progressLine('facts projected');
  const { facts, again, tables } = await withModule(register, (context) =>
    context.get(RecordsRebuild).run(show, allowFewerRows),
  );
  await recordAction({ action: 'rebuild', projectId: '', detail: { records: facts } });
  let isSame = true;
  for (const { table, before, after } of tables) {
    const isEqual = before.rows === after.rows && before.sum === after.sum;
    isSame &&= isEqual;
    const rows = isEqual ? `${after.rows} rows` : `${after.rows} rows, ${before.rows} before`;
    say(`${table.padEnd(16)} ${isEqual ? 'same' : 'differs'}  ${rows}`);
  }
  say(`Projected ${facts} facts, ${again} of them again at the end.`);
  say(
    isSame
      ? 'All tables have the same content.'
      : 'Tables differ because of newer facts or of errors; the new ones match the log.',
  );
}
