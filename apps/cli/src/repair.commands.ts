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
  JSON_OPTION,
  positiveOption,
  progressLine,
  report,
  timeOption,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';
import { pacer, stepOf } from './pacer.js';

const register = CommandsModule.register.bind(CommandsModule);

interface ReplayOptions extends JsonOption {
  readonly project?: string;
  readonly from?: string;
  readonly to?: string;
  readonly rate: string;
}

export function replayCommand(): Command {
  return new Command('replay')
    .description(
      'fold calls again from the log, selected by project or by the time their facts were received',
    )
    .option('--project <entity/project>', 'only this project')
    .option('--from <time>', 'only facts received at or after this time')
    .option('--to <time>', 'only facts received before this time')
    .option('--rate <calls>', 'at most this many calls a second', '5000')
    .option(...JSON_OPTION)
    .action(async (options: ReplayOptions) => {
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
      const folded = done - deadLettered;
      report(options, { folded, dead_lettered: deadLettered }, [
        `Folded ${folded} calls again.`,
        ...deadLetteredLine(deadLettered),
      ]);
    });
}

export function sweepCommand(): Command {
  return new Command('sweep')
    .description('repair calls that lack facts of the log')
    .option('--from <time>', 'check facts stored since this time, instead of since the last sweep')
    .option(...JSON_OPTION)
    .action(async (options: JsonOption & { from?: string }) => {
      const from = options.from === undefined ? undefined : timeOption(options.from);
      const { repaired, deadLettered } = await withModule(register, (context) => {
        const sweeper = context.get(CallSweeper);
        return from === undefined ? sweeper.sweep() : sweeper.sweepRange(from, nowMillis());
      });
      report(options, { repaired, dead_lettered: deadLettered }, [
        `Repaired ${repaired} calls.`,
        ...deadLetteredLine(deadLettered),
      ]);
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
    .option(...JSON_OPTION)
    .action((options: RebuildOptions) =>
      options.records ? rebuildRecords(options) : rebuildCalls(options),
    );
}

interface RebuildOptions extends JsonOption {
  readonly records?: boolean;
  readonly allowFewerRows?: boolean;
}

async function rebuildCalls(options: RebuildOptions): Promise<void> {
  const { allowFewerRows = false } = options;
  const show = progressLine('calls folded');
  const { before, after, refolded, deadLettered } = await withModule(register, (context) =>
    context.get(CallsRebuild).run(({ done, total }) => show(done, total), { allowFewerRows }),
  );
  await recordAction({ action: 'rebuild', projectId: '', detail: { calls: after.calls.rows } });
  const isSame = textOf(before) === textOf(after);
  report(options, { before, after, refolded, dead_lettered: deadLettered, is_same: isSame }, [
    `before  ${textOf(before)}`,
    `after   ${textOf(after)}`,
    `Folded ${refolded} calls with newer facts again.`,
    ...deadLetteredLine(deadLettered),
    isSame
      ? 'Both tables have the same content.'
      : 'The tables differ; the new one matches the log.',
  ]);
}

const textOf = ({ calls, root_usage }: Checksums) =>
  `${calls.rows} calls, checksum ${calls.sum}; ${root_usage.rows} usages, checksum ${root_usage.sum}`;

const deadLetteredLine = (calls: number): string[] =>
  calls > 0 ? [`${calls} calls cannot be stored; \`dead-letters list\` shows their facts.`] : [];

async function rebuildRecords(options: RebuildOptions): Promise<void> {
  const show = progressLine('facts projected');
  const { facts, again, tables } = await withModule(register, (context) =>
    context.get(RecordsRebuild).run(show, options.allowFewerRows ?? false),
  );
  await recordAction({ action: 'rebuild', projectId: '', detail: { records: facts } });
  const compared = tables.map(({ table, before, after }) => {
    const isSame = before.rows === after.rows && before.sum === after.sum;
    return { table, rows: after.rows, rows_before: before.rows, is_same: isSame };
  });
  const lines = compared.map(({ table, rows, rows_before, is_same }) => {
    const count = is_same ? `${rows} rows` : `${rows} rows, ${rows_before} before`;
    return `${table.padEnd(16)} ${is_same ? 'same' : 'differs'}  ${count}`;
  });
  report(options, { facts, again, tables: compared }, [
    ...lines,
    `Projected ${facts} facts, ${again} of them again at the end.`,
    compared.every(({ is_same }) => is_same)
      ? 'All tables have the same content.'
      : 'Tables differ because of newer facts or of errors; the new ones match the log.',
  ]);
}
