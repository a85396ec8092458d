import { Command, Option } from 'commander';
import { ApiKeyStore, ROLES, type KeyEntry, type Role } from '@app/auth';
import { isAddressRange, KEY_SCOPE, KEY_USER } from '@app/contracts';
import { millis, nowMillis, type Millis } from '@app/wire';
import { recordAction } from './audit.command.js';
import {
  JSON_OPTION,
  operator,
  positiveOption,
  report,
  UsageError,
  withRedis,
  type JsonOption,
} from './context.js';

const DAY_MS = 86_400_000;

interface CreateOptions extends JsonOption {
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
        .option(...JSON_OPTION)
        .action((options: JsonOption) => withStore((keys) => list(keys, options))),
    )
    .addCommand(
      new Command('revoke')
        .description('revoke a key; all processes refuse it within seconds')
        .argument('<id>')
        .option(...JSON_OPTION)
        .action((id: string, options: JsonOption) =>
          withStore((keys) => revoke(keys, id, options)),
        ),
    )
    .addCommand(
      new Command('rotate')
        .description('replace a key by a new one with the same grant')
        .argument('<id>')
        .option('--grace <minutes>', 'accept the old key for this long', (text) =>
          positiveOption(text, '--grace'),
        )
        .option(...JSON_OPTION)
        .action((id: string, options: JsonOption & { grace?: number }) =>
          withStore((keys) => rotate(keys, id, options)),
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
    .option(...JSON_OPTION)
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
  const { id } = entry;
  report(options, { id, user, role, scope, key }, [`${id}  ${user}  ${role}  ${scope}`, key]);
}

async function list(keys: ApiKeyStore, options: JsonOption): Promise<void> {
  const entries = await keys.list();
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
  const lines = rows.map((row) => row.join('  ').trimEnd());
  report(options, { keys: entries }, lines.length === 0 ? ['There are no keys.'] : lines);
}

async function revoke(keys: ApiKeyStore, id: string, options: JsonOption): Promise<void> {
  const entry = await keys.end(id, nowMillis());
  if (entry === undefined) throw unknown(id);
  const { user, role, scope } = entry;
  await recordAction({ action: 'keys.revoke', projectId: scope, detail: { id, user, role } });
  report(options, { revoked: id }, [`Revoked ${id}; all processes refuse it within 5 seconds.`]);
}

async function rotate(
  keys: ApiKeyStore,
  id: string,
  options: JsonOption & { readonly grace?: number },
): Promise<void> {
  const { grace: graceMinutes = 0 } = options;
  const rotated = await keys.rotate(id, operator(), millis(Date.now() + graceMinutes * 60_000));
  if (rotated === undefined) throw unknown(id);
  const { user, role, scope } = rotated.entry;
  const detail = { id: rotated.entry.id, user, role, replaces: id };
  await recordAction({ action: 'keys.rotate', projectId: scope, detail });
  const until = graceMinutes === 0 ? 'revoked' : `valid for ${graceMinutes} more minutes`;
  report(options, { ...detail, scope, key: rotated.key }, [
    `Replaced ${id} by ${rotated.entry.id}; the old key is ${until}.`,
    rotated.key,
  ]);
}

const withStore = (work: (keys: ApiKeyStore) => Promise<void>): Promise<void> =>
  withRedis((redis) => work(new ApiKeyStore(redis)));

const state = ({ endsAt }: KeyEntry) =>
  endsAt === undefined ? 'valid' : endsAt <= Date.now() ? 'ended' : `until ${isoTime(endsAt)}`;

const isoTime = (time: Millis) => new Date(time).toISOString();

const unknown = (id: string) => new UsageError(`There is no key ${id}; \`keys list\` shows them.`);
