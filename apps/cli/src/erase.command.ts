import { Command } from 'commander';
import type { ExpiredOfProject } from '@app/clickhouse';
import { AuditTrail } from '@app/queue';
import {
  CommandsModule,
  DiskCopies,
  Erasure,
  Expiry,
  type Erased,
  type ErasureTarget,
} from '../../worker/src/commands.module.js';
import { recordAction } from './audit.command.js';
import {
  JSON_OPTION,
  operator,
  operatorOrigin,
  progressLine,
  report,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';

interface Options extends JsonOption {
  readonly project?: string;
  readonly trace?: string;
  readonly user?: string;
  readonly yes?: boolean;
}

const register = CommandsModule.register.bind(CommandsModule);

export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'delete data permanently: a project, one trace, or everything that a user wrote (in a project or everywhere)',
    )
    .option(
      '--project <entity/project>',
      'the project to erase, or to search for the trace or the user',
    )
    .option('--trace <id>', 'one trace; needs --project')
    .option('--user <name>', 'everything that this user wrote')
    .option('--yes', 'confirm: erased data cannot be restored')
    .option(...JSON_OPTION)
    .action(erase);
}

export function expireCommand(): Command {
  return new Command('expire')
    .description(
      'delete calls and feedback past the retention of their projects; workers do this every night',
    )
    .option(
      '--dry-run',
      'show how many calls and how much feedback of which projects would be deleted, and delete none',
    )
    .option(...JSON_OPTION)
    .action((options: JsonOption & { dryRun?: boolean }) =>
      withModule(register, async (context) => {
        if (options.dryRun) return previewExpiry(options, await context.get(Expiry).preview());
        const { calls, feedback } = await context.get(Expiry).run();
        await recordAction({ action: 'expire', projectId: '', detail: { calls, feedback } });
        report(options, { expired: calls, expired_feedback: feedback }, [
          `Deleted ${calls} expired calls and ${feedback} feedback.`,
          ...(calls + feedback === 0 ? [] : [REMOVED_LATER]),
        ]);
      }),
    );
}

/** An erasure waits for it. The next expiry runs in a night, so this one need not. */
const REMOVED_LATER =
  'They cannot be read any more. ClickHouse removes the replaced parts from its disks by itself, in up to fifteen minutes.';

function previewExpiry(options: JsonOption, found: readonly ExpiredOfProject[]): void {
  const sum = (of: 'calls' | 'feedback') => found.reduce((total, one) => total + one[of], 0);
  const [calls, feedback] = [sum('calls'), sum('feedback')];
  const result = { would_expire: calls, would_expire_feedback: feedback, projects: found };
  report(options, result, [
    ...found.map(expiredLine),
    `Would delete ${calls} calls and ${feedback} feedback.`,
  ]);
}

function expiredLine({ project, days, calls, feedback_days, feedback }: ExpiredOfProject): string {
  const ofCalls = days === null ? [] : [`${calls} calls that began more than ${days} days ago`];
  const limit = feedback_days === null ? '' : ` given more than ${feedback_days} days ago`;
  const onCalls = days === null ? '' : 'on them';
  const why = [onCalls, limit.trim()].filter(Boolean).join(' or ');
  return `${project}: ${[...ofCalls, `${feedback} feedback ${why}`].join(', ')}`;
}

async function erase(options: Options): Promise<void> {
  checkOptions(options);
  await withModule(register, async (context) => {
    const erasure = context.get(Erasure);
    const targets = await targetsOf(options, erasure);
    const done: Erasures = [];
    for (const target of targets) {
      const { projectId, ...what } = target;
      const begun = { ...operatorOrigin(), action: 'erase', projectId, detail: what };
      await context.get(AuditTrail, { strict: false }).record(begun);
      const erased = await erasure.erase(target, operator(), progressLine(`calls of ${projectId}`));
      done.push({ project: projectId, ...erased });
    }
    if (targets.length === 0) return report(options, { erased: [] }, ['Nothing to erase.']);
    const left = [...(await context.get(DiskCopies).remove(progressLine)), BACKUPS];
    report(options, { erased: done, not_reached: left }, [
      ...done.flatMap(linesOf),
      'Erased; a read of all tables found nothing left.',
      'Not erased, because it cannot be reached from here:',
      ...left.map((sentence) => `  - ${sentence}`),
    ]);
  });
}

const BACKUPS =
  'Backups of Redis, ClickHouse and the bucket, earlier versions in a bucket with versioning, and logs: of clients, proxies and ClickHouse.';

function checkOptions({ project, trace, user, yes }: Options): void {
  if (trace !== undefined && user !== undefined)
    throw new UsageError('Erase a trace or a user, not both.');
  if (trace !== undefined && project === undefined)
    throw new UsageError('--trace needs --project.');
  if (project === undefined && user === undefined)
    throw new UsageError('Select what to erase: --project, --trace with --project, or --user.');
  if (!yes) throw new UsageError('Erased data cannot be restored; add --yes to continue.');
}

async function targetsOf(
  { project, trace, user }: Options,
  erasure: Erasure,
): Promise<ErasureTarget[]> {
  if (trace !== undefined) return [{ kind: 'trace', projectId: project!, traceId: trace }];
  if (user === undefined) return [{ kind: 'project', projectId: project! }];
  const projects = project === undefined ? await erasure.projectsOf(user) : [project];
  return projects.map((projectId) => ({ kind: 'user', projectId, userId: user }));
}

type Erasures = (Erased & { readonly project: string })[];

function linesOf({ project, calls, files, rows }: Erasures[number]): string[] {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const inBucket = files > 0 ? `, ${files} files in the bucket` : '';
  return [
    `${project}: ${calls} calls, ${total} rows${inBucket}`,
    ...Object.entries(rows).map(([table, count]) => `  ${table}  ${count}`),
  ];
}
