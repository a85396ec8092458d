import { Command } from 'commander';
import { auditLog, connectStore, type AuditLogRow } from '@app/clickhouse';
import { readConfig, type Config } from '@app/config';
import { createLogger } from '@app/observability';
import { AuditTrail, type AuditEntry } from '@app/queue';
import { connectRedis, WriteGuard } from '@app/redis';
import type { Millis } from '@app/wire';
import { operator, positiveOption, say, timeOption } from './context.js';

interface Options {
  readonly scope: string;
  readonly user?: string;
  readonly action?: string;
  readonly from?: Millis;
  readonly before?: Millis;
  readonly limit: number;
  readonly json?: boolean;
}

export function auditCommand(): Command {
  return new Command('audit')
    .description('show who deleted or administered what, newest first')
    .option('--scope <scope>', 'only entries of this project or entity', '*')
    .option('--user <name>', 'only actions of this user')
    .option('--action <text>', 'only actions with this prefix, such as keys.')
    .option('--from <time>', 'at or after', timeOption)
    .option('--before <time>', 'before', timeOption)
    .option(
      '--limit <n>',
      'at most this many entries',
      (text) => positiveOption(text, '--limit'),
      100,
    )
    .option('--json', 'print one JSON document per entry')
    .action(show);
}

async function show({ user, limit, json, ...filter }: Options): Promise<void> {
  const store = connectStore(readConfig().clickhouse, 'cli');
  try {
    const lines = await store.rows<AuditLogRow>(auditLog({ ...filter, userId: user }, limit));
    for (const line of lines) say(json ? JSON.stringify(shown(line)) : textOf(line));
    if (lines.length === 0 && !json) say('No matching audit entries.');
  } finally {
    await store.close();
  }
}

const shown = ({ at, detail, ...rest }: AuditLogRow) => ({
  at: new Date(Number(at) / 1000).toISOString(),
  ...rest,
  detail: JSON.parse(detail) as object,
});

const textOf = ({ at, user_id, action, project_id, detail }: AuditLogRow) =>
  [
    new Date(Number(at) / 1000).toISOString(),
    user_id,
    action,
    project_id || '-',
    detail === '{}' ? '' : detail,
  ]
    .join('  ')
    .trimEnd();

/** Records an action of a command in the audit trail, as the operator. */
export async function recordAction(
  entry: Omit<AuditEntry, 'userId'>,
  config: Config = readConfig(),
): Promise<void> {
  const redis = connectRedis(config.redis, 'consumer', createLogger('cli', config.logLevel));
  const guard = new WriteGuard(redis, config.redis);
  try {
    await new AuditTrail(redis, guard).record({ userId: operator(), ...entry });
  } finally {
    guard.onModuleDestroy();
    redis.disconnect();
  }
}
