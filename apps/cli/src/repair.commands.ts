import { Command } from 'commander';
import { nowMillis } from '@app/wire';
import {
  CallRefolder,
  CallsRebuild,
  CallSweeper,
  RecordsRebuild,
  RepairModule,
  type Checksums,
} from '../../worker/src/repair.module.js';
import { recordAct } from './audit.command.js';
import {
  timeOption,
  positiveOption,
  progressLine,
  say,
  UsageError,
  withModule,
} from './context.js';
import { pacer, stepOf } from './pacer.js';

const register = RepairModule.register.bind(RepairModule);

export function replayCommand(): Command {
  return new Command('replay')
    .description(
      'fold calls again from the log: those with facts received in a time range, or of a project',
    )
    .option('--project <entity/project>', 'only this project')
    .option('--from <time>', 'received at or after')
    .option('--to <time>', 'received before')
    .option('--rate <calls>', 'at most this many calls a second', '5000')
    .action(async (options: { project?: string; from?: string; to?: string; rate: string }) => {
      if (!options.project && !options.from)
        throw new UsageError('Say what to replay: --project, --from, or both.');
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
      await recordAct({ action: 'replay', projectId: options.project ?? '', detail });
      say(`${done - deadLettered} calls were folded again.`);
      sayBuried(deadLettered);
    });
}

export function sweepCommand(): Command {
  return new Command('sweep')
    .description('repair calls that know less than the log')
    .option('--from <time>', 'look at everything stored since, instead of since the last sweep')
    .action(async (options: { from?: string }) => {
      const from = options.from === undefined ? undefined : timeOption(options.from);
      const { repaired, deadLettered } = await withModule(register, (context) => {
        const sweeper = context.get(CallSweeper);
        return from === undefined ? sweeper.sweep() : sweeper.sweepRange(from, nowMillis());
      });
      say(`${repaired} calls were repaired.`);
      sayBuried(deadLettered);
    });
}

export function rebuildCommand(): Command {
  return new Command('rebuild')
    .description('make the table of calls anew from the log, while ingest goes on')
    .option('--records', 'objects, tags, aliases, tables, feedback and prices instead of calls')
    .action(async (options: { records?: boolean }) => {
      if (options.records) return rebuildRecords();
      const show = progressLine('calls folded');
      const { before, after, refolded, deadLettered } = await withModule(register, (context) =>
        context.get(CallsRebuild).run(({ done, total }) => show(done, total)),
      );
      await recordAct({ action: 'rebuild', projectId: '', detail: { calls: after.calls.rows } });
      say(`before  ${said(before)}`);
      say(`after   ${said(after)}`);
      say(`${refolded} calls with newer facts were folded again.`);
      sayBuried(deadLettered);
      const isSame = said(before) === said(after);
      say(
        isSame
          ? 'Both tables said the same.'
          : 'The tables differed: the new one is what the log says.',
      );
    });
}

const said = ({ calls, root_usage }: Checksums) =>
  `${calls.rows} calls, checksum ${calls.sum}; ${root_usage.rows} usages, checksum ${root_usage.sum}`;

function sayBuried(calls: number): void {
  if (calls > 0)
    say(`${calls} calls can never be stored; \`dead-letters list\` shows their facts.`);
}

async function rebuildRecords(): Promise<void> {
  const show = progressLine('facts projected');
  const { facts, again, tables } = await withModule(register, (context) =>
    context.get(RecordsRebuild).run(show),
  );
  await recordAct({ action: 'rebuild', projectId: '', detail: { records: facts } });
  let isSame = true;
  for (const { table, before, after } of tables) {
    const isEqual = before.rows === after.rows && before.sum === after.sum;
    isSame &&= isEqual;
    const rows = isEqual ? `${after.rows} rows` : `${after.rows} rows, ${before.rows} before`;
    say(`${table.padEnd(16)} ${isEqual ? 'the same' : 'differed'}  ${rows}`);
  }
  say(`${facts} facts were projected, ${again} of them again at the end.`);
  say(
    isSame
      ? 'All tables said the same.'
      : 'Tables differed, by what came meanwhile or by what was wrong: the new ones are what the log says.',
  );
}
