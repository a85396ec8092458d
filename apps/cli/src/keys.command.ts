import { Command, Option } from 'commander';
import { ApiKeyStore, ROLES, type KeyEntry, type Role } from '@app/auth';
import { readConfig } from '@app/config';
import { isAddressRange, KEY_SCOPE, KEY_USER } from '@app/contracts';
import { createLogger } from '@app/observability';
import { connectRedis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';
import { recordAction } from './audit.command.js';
import { operator, positiveOption, say, UsageError } from './context.js';

const DAY_MS = 86_400_000;

interface CreateOptions {
  readonly user: string;
  readonly scope: string;
  readonly role: Role;
  readonly name?: string;
  readonly days?: number;
  readonly addresses?: string[];
}

/** Keys are in Redis, so these commands need no ClickHouse. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('manage API keys')
    .addCommand(createCommand())
    .addCommand(
      new Command('list')
        .description('list every key with its grant and its last use, without the secret')
        .option('--json', 'print one JSON document instead of a table')
        .action((options: { json?: boolean }) => withStore((keys) => list(keys, options))),
    )
    .addCommand(
      new Command('revoke')
        .description('revoke a key; all processes refuse it within seconds')
        .argument('<id>')
        .action((id: string) => withStore((keys) => revoke(keys, id))),
    )
    .addCommand(
      new Command('rotate')
        .description('replace a key by a new one with the same grant')
        .argument('<id>')
        .option('--grace <minutes>', 'accept the old key for this long', (text) =>
          positiveOption(text, '--grace'),
        )
        .action((id: string, { grace = 0 }: { grace?: number }) =>
          withStore((keys) => rotate(keys, id, grace)),
        ),
    );
}

function createCommand(): Command {
  return new Command('create')
    .description('create a key; it is shown once')
    .requiredOption('--user <name>', 'the user of the key; everything they write has this name')
    .option('--scope <scope>', '*, an entity, or entity/project', '*')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .option('--name <text>', 'the purpose of the key')
    .option('--days <n>', 'the key expires after this many days', (text) =>
      positiveOption(text, '--days'),
    )
    .option('--addresses <list>', 'accept the key from these addresses and networks only', (text) =>
      text.split(',').map((range) => range.trim()),
    )
    .action((options: CreateOptions) => withStore((keys) => create(keys, options)));
}

async function create(keys: ApiKeyStore, options: CreateOptions) {
  const { user, scope, role, name, days, addresses } = options;
  if (!KEY_USER.test(user)) throw new UsageError('--user must be a name of 1 to 128 characters.');
  if (!KEY_SCOPE.test(scope))
    throw new UsageError('--scope must be *, an entity, or <entity>/<project>.');
  const wrong = addresses?.find((range) => !isAddressRange(range));
  if (wrong !== undefined)
    throw new UsageError(
      `--addresses: ${wrong} is not an address or a network such as 10.0.0.0/8.`,
    );
  const { key, entry } = await keys.create({
    user,
    scope,
    role,
    ...(name ? { name } : {}),
    createdBy: operator(),
    ...(days ? { endsAt: millis(Date.now() + days * DAY_MS) } : {}),
    ...(addresses ? { addresses } : {}),
  });
  await recordAction({
    action: 'keys.create',
    projectId: scope,
    detail: { id: entry.id, user, role },
  });
  say(`${entry.id}  ${user}  ${role}  ${scope}`);
  say(key);
}

async function list(keys: ApiKeyStore, { json }: { json?: boolean }): Promise<void> {
  const entries = await keys.list();
  if (json) return say(JSON.stringify({ keys: entries }));
  if (entries.length === 0) return say('There are no keys.');
  const rows = entries.map((key) => [
    key.id,
    key.user,
    key.role,
    key.scope,
    state(key),
    `used ${key.lastUsedAt === undefined ? 'never' : isoTime(key.lastUsedAt)}`,
    key.addresses === undefined ? '' : `from ${key.addresses.join(',')}`,
    key.name ?? '',
  ]);
  for (const row of rows) say(row.join('  ').trimEnd());
}

async function revoke(keys: ApiKeyStore, id: string): Promise<void> {
  const entry = await keys.end(id, nowMillis());
  if (entry === undefined) throw unknown(id);
  const { user, role, scope } = entry;
  await recordAction({ action: 'keys.revoke', projectId: scope, detail: { id, user, role } });
  say(`Revoked ${id}; all processes refuse it within 5 seconds.`);
}

async function rotate(keys: ApiKeyStore, id: string, graceMinutes: number): Promise<void> {
  const rotated = await keys.rotate(id, operator(), millis(Date.now() + graceMinutes * 60_000));
  if (rotated === undefined) throw unknown(id);
  const { user, role, scope } = rotated.entry;
  const detail = { id: rotated.entry.id, user, role, replaces: id };
  await recordAction({ action: 'keys.rotate', projectId: scope, detail });
  const until = graceMinutes === 0 ? 'revoked' : `valid for ${graceMinutes} more minutes`;
  say(`Replaced ${id} by ${rotated.entry.id}; the old key is ${until}.`);
  say(rotated.key);
}

async function withStore(work: (keys: ApiKeyStore) => Promise<void>): Promise<void> {
  const config = readConfig();
  const logger = createLogger('cli', config.logLevel);
  const redis = connectRedis(config.redis, 'consumer', logger);
  try {
    await work(new ApiKeyStore(redis));
  } finally {
    redis.disconnect();
  }
}

const state = ({ endsAt }: KeyEntry) =>
  endsAt === undefined ? 'valid' : endsAt <= Date.now() ? 'ended' : `until ${isoTime(endsAt)}`;

const isoTime = (time: Millis) => new Date(time).toISOString();

const unknown = (id: string) => new UsageError(`There is no key ${id}; \`keys list\` shows them.`);
