import { once } from 'node:events';
import { Command } from 'commander';
import {
  auditLog,
  auditPage,
  connectStore,
  verifyAudit,
  type AuditFilter,
  type AuditLogRow,
  type ChainHead,
  type Store,
} from '@app/clickhouse';
import type { Config } from '@app/config';
import { AuditTrail, type AuditEntry } from '@app/queue';
import { WriteGuard } from '@app/redis';
import type { Millis } from '@app/wire';
import {
  commandConfig,
  JSON_OPTION,
  operatorOrigin,
  positiveOption,
  report,
  requireClickHouse,
  say,
  timeOption,
  UsageError,
  withRedis,
  type JsonOption,
} from './context.js';

interface Options extends JsonOption {
  readonly scope: string;
  readonly user?: string;
  readonly action?: string;
  readonly from?: Millis;
  readonly before?: Millis;
  readonly limit: number;
}

export function auditCommand(): Command {
  return (
    filtered('audit', 'show who deleted or administered what, newest first')
      .option(
        '--limit <n>',
        'at most this many entries',
        (text) => positiveOption(text, '--limit'),
        100,
      )
      .option('--json', 'print one JSON document per entry')
      .action(show)
      // The same options have another meaning after the name of a subcommand.
      .enablePositionalOptions()
      .addCommand(
        new Command('verify')
          .description('check that no entry was changed, removed or moved')
          .option('--expect <seq:hash>', 'an end of the chain that was noted before', headOption)
          .option(...JSON_OPTION)
          .action(verify),
      )
      .addCommand(
        filtered('export', 'print every entry as a line of JSON, oldest first').action(exportAll),
      )
  );
}

function filtered(name: string, about: string): Command {
  return new Command(name)
    .description(about)
    .option('--scope <scope>', 'only entries of this project or entity', '*')
    .option('--user <name>', 'only actions of this user')
    .option('--action <text>', 'only actions with this prefix, such as keys.')
    .option('--from <time>', 'at or after', timeOption)
    .option('--before <time>', 'before', timeOption);
}

function headOption(text: string): ChainHead {
  const [, seq, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq !== undefined && hash !== undefined) return { seq: Number(seq), hash };
  throw new UsageError(
    `${text.slice(0, 80)} is not an end of the chain as audit verify prints it.`,
  );
}

const PAGE = 5000;
const SHOWN_FAULTS = 20;

async function verify({
  expect,
  ...options
}: JsonOption & { readonly expect?: ChainHead }): Promise<void> {
  // Read before the table, so that it has all entries up to this one.
  const noted = await withTrail((trail) => trail.head());
  await withStore(async (store) => {
    const { head, older, faults } = await verifyAudit(store, { noted, expect });
    const { seq, hash } = head;
    report(options, { entries: seq, end: `${seq}:${hash}`, older, faults }, [
      ...faults.slice(0, SHOWN_FAULTS),
      ...(older > 0 ? [`${older} entries are older than the chain.`] : []),
      faults.length === 0
        ? `${seq} entries are unchanged. End: ${seq}:${hash}`
        : 'The audit log was changed after it was written.',
    ]);
    if (faults.length > 0) process.exitCode = 1;
  });
}

/** Prints page by page, so that any number of entries needs little memory. */
async function exportAll({ user, ...filter }: Options): Promise<void> {
  await recordAction({ action: 'audit.export', projectId: filter.scope, detail: {} });
  await withStore(async (store) => {
    for await (const rows of pagesOf(store, { ...filter, userId: user })) {
      const text = rows.map((row) => `${JSON.stringify(shown(row))}\n`).join('');
      if (!process.stdout.write(text)) await once(process.stdout, 'drain');
    }
  });
}

async function* pagesOf(store: Store, filter: AuditFilter): AsyncGenerator<AuditLogRow[]> {
  for (let after: Pick<AuditLogRow, 'at' | 'id'> = { at: 0, id: '' }; ;) {
    const rows = await store.rows<AuditLogRow>(auditPage(filter, after, PAGE));
    if (rows.length === 0) return;
    yield rows;
    after = rows.at(-1)!;
  }
}

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const config = commandConfig();
  await requireClickHouse(config);
  const store = connectStore(config.clickhouse, 'cli');
  try {
    await work(store);
  } finally {
    await store.close();
  }
}

async function show({ user, limit, json, ...filter }: Options): Promise<void> {
  await withStore(async (store) => {
    const lines = await store.rows<AuditLogRow>(auditLog({ ...filter, userId: user }, limit));
    for (const line of lines) say(json ? JSON.stringify(shown(line)) : textOf(line));
    if (lines.length === 0 && !json) say('No matching audit entries.');
  });
}

const shown = ({ at, detail, ...rest }: AuditLogRow) => ({
  at: new Date(Number(at) / 1000).toISOString(),
  ...rest,
  detail: JSON.parse(detail) as object,
});

const textOf = ({ at, user_id, key_id, address, action, project_id, detail }: AuditLogRow) =>
  [
    new Date(Number(at) / 1000).toISOString(),
    key_id === '' ? user_id : `${user_id} (${key_id} from ${address})`,
    action,
    project_id || '-',
    detail === '{}' ? '' : detail,
  ]
    .join('  ')
    .trimEnd();

/** Records an action of a command in the audit trail, as the operator. */
export async function recordAction(
  entry: Pick<AuditEntry, 'action' | 'projectId' | 'detail'>,
  config: Config = commandConfig(),
): Promise<void> {
  await withTrail((trail) => trail.record({ ...operatorOrigin(), ...entry }), config);
}

function withTrail<T>(
  work: (trail: AuditTrail) => Promise<T>,
  config: Config = commandConfig(),
): Promise<T> {
  return withRedis(async (redis) => {
    const guard = new WriteGuard(redis, config.redis);
    try {
      return await work(new AuditTrail(redis, guard));
    } finally {
      guard.onModuleDestroy();
    }
  }, config);
}
