import { Command, Option } from 'commander';
import { ApiKeyStore, ROLES, type KeyEntry, type Role } from '@app/auth';
import { readConfig } from '@app/config';
import { KEY_SCOPE, KEY_USER } from '@app/contracts';
import { createLogger } from '@app/observability';
import { connectRedis } from '@app/redis';
import { millis, nowMillis, type Millis } from '@app/wire';
import { recordAct } from './audit.command.js';
import { operator, positiveOption, say, UsageError } from './context.js';

const DAY_MS = 86_400_000;

interface CreateOptions {
  readonly user: string;
  readonly scope: string;
  readonly role: Role;
  readonly name?: string;
  readonly days?: number;
}

/** Keys are in Redis, so these commands need nothing else. */
export function keysCommand(): Command {
  return new Command('keys')
    .description('API keys: who may do what, where')
    .addCommand(createCommand())
    .addCommand(
      new Command('list')
        .description('every key with its grant and its last use; never the key itself')
        .option('--json', 'one JSON document instead of a table')
        .action((options: { json?: boolean }) => withBook((book) => list(book, options))),
    )
    .addCommand(
      new Command('revoke')
        .description('end a key; every process knows within seconds')
        .argument('<id>')
        .action((id: string) => withBook((book) => revoke(book, id))),
    )
    .addCommand(
      new Command('rotate')
        .description('replace a key by a new one with the same grant')
        .argument('<id>')
        .option('--grace <minutes>', 'accept the old key for so long', (text) =>
          positiveOption(text, '--grace'),
        )
        .action((id: string, { grace = 0 }: { grace?: number }) =>
          withBook((book) => rotate(book, id, grace)),
        ),
    );
}

function createCommand(): Command {
  return new Command('create')
    .description('make a key; it is shown once')
    .requiredOption('--user <name>', 'whose key it is: what they write carries this name')
    .option('--scope <scope>', '*, an entity, or entity/project', '*')
    .addOption(new Option('--role <role>').choices(ROLES).makeOptionMandatory())
    .option('--name <text>', 'what it is for')
    .option('--days <n>', 'it ends by itself after so many days', (text) =>
      positiveOption(text, '--days'),
    )
    .action((options: CreateOptions) => withBook((book) => create(book, options)));
}

async function create(book: ApiKeyStore, { user, scope, role, name, days }: CreateOptions) {
  if (!KEY_USER.test(user)) throw new UsageError('--user must be a name of 1 to 128 characters.');
  if (!KEY_SCOPE.test(scope))
    throw new UsageError('--scope must be *, an entity, or <entity>/<project>.');
  const { key, entry } = await book.create({
    user,
    scope,
    role,
    ...(name ? { name } : {}),
    createdBy: operator(),
    ...(days ? { endsAt: millis(Date.now() + days * DAY_MS) } : {}),
  });
  await recordAct({
    action: 'keys.create',
    projectId: scope,
    detail: { id: entry.id, user, role },
  });
  say(`${entry.id}  ${user}  ${role}  ${scope}`);
  say(key);
}

async function list(book: ApiKeyStore, { json }: { json?: boolean }): Promise<void> {
  const keys = await book.list();
  if (json) return say(JSON.stringify({ keys }));
  if (keys.length === 0) return say('There are no keys.');
  const rows = keys.map((key) => [
    key.id,
    key.user,
    key.role,
    key.scope,
    state(key),
    `used ${key.lastUsedAt === undefined ? 'never' : isoTime(key.lastUsedAt)}`,
    key.name ?? '',
  ]);
  for (const row of rows) say(row.join('  ').trimEnd());
}

async function revoke(book: ApiKeyStore, id: string): Promise<void> {
  const entry = await book.end(id, nowMillis());
  if (entry === undefined) throw unknown(id);
  const { user, role, scope } = entry;
  await recordAct({ action: 'keys.revoke', projectId: scope, detail: { id, user, role } });
  say(`${id} is revoked; every process knows within 5 seconds.`);
}

async function rotate(book: ApiKeyStore, id: string, graceMinutes: number): Promise<void> {
  const fresh = await book.rotate(id, operator(), millis(Date.now() + graceMinutes * 60_000));
  if (fresh === undefined) throw unknown(id);
  const { user, role, scope } = fresh.entry;
  const detail = { id: fresh.entry.id, user, role, replaces: id };
  await recordAct({ action: 'keys.rotate', projectId: scope, detail });
  const until = graceMinutes === 0 ? 'is revoked' : `is accepted for ${graceMinutes} more minutes`;
  say(`${id} ${until}; its successor is ${fresh.entry.id}`);
  say(fresh.key);
}

async function withBook(work: (book: ApiKeyStore) => Promise<void>): Promise<void> {
  const config = readConfig();
  const logger = createLogger('cli', config.logLevel);
  const redis = connectRedis(config.redis.url, 'consumer', logger);
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
