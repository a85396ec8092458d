import { Command } from 'commander';
import { recordAction } from './audit.command.js';
import { BackupKey } from './backup/backup-key.js';
import { interruptible } from './backup/interruption.js';
import type { Manifest } from './backup/manifest.js';
import { NODES_OPTION, nodeUrls } from './backup/nodes-option.js';
import { restoreBackup, type Restored } from './backup/restore-backup.js';
import { withEmptyStores } from './backup/restore-target.js';
import { withVerifiedBackup } from './backup/verified-backup.js';
import { JSON_OPTION, report, timeOption, UsageError, type JsonOption } from './context.js';

interface Options extends JsonOption {
  readonly from?: string;
  readonly base?: string;
  readonly decryptWith?: string;
  readonly until?: string;
  readonly nodes?: string;
}

export function restoreCommand(): Command {
  return new Command('restore')
    .description(
      'restore a backup into an empty DATA_DIR, or into an empty Redis and ClickHouse (REDIS_URL, CLICKHOUSE_URL)',
    )
    .option('--from <place>', 'the backup: a directory or s3://bucket/prefix')
    .option('--base <place>', 'where its base is now, if that was moved')
    .option('--decrypt-with <file>', 'the key of an encrypted backup')
    .option('--until <time>', 'leave out what was accepted after this time')
    .option(...NODES_OPTION)
    .option(...JSON_OPTION)
    .action(restore);
}

async function restore(options: Options): Promise<void> {
  const { from, base, decryptWith } = options;
  if (from === undefined)
    throw new UsageError('Say what to restore: --from <directory or s3://bucket/prefix>.');
  const until = options.until === undefined ? undefined : timeOption(options.until);
  const nodes = nodeUrls(options);
  const key = decryptWith === undefined ? undefined : await BackupKey.read(decryptWith);
  await interruptible('restore', (signal) =>
    withVerifiedBackup({ from, base, key }, signal, async (backup) => {
      const { manifest } = backup;
      if (until !== undefined && until > Date.parse(manifest.began_at))
        throw new UsageError(
          `--until must not be after the backup, which is of ${manifest.began_at}.`,
        );
      const restored = await withEmptyStores(async (config) => {
        const result = await restoreBackup({ ...backup, key, until, nodes }, config, signal);
        const detail = { id: manifest.id, until: options.until };
        await recordAction({ action: 'restore', projectId: '', detail }, config);
        return result;
      });
      reportRestored(options, manifest, restored);
    }),
  );
}

function reportRestored(options: Options, manifest: Manifest, restored: Restored): void {
  const { tables, ledger, removedFacts } = restored;
  const { project: _, ...total } = ledger;
  const different = tables.filter(({ result }) => result === 'different');
  const holds = ledger.holds.every(Boolean);
  const result = {
    id: manifest.id,
    is_same: different.length === 0,
    tables,
    removed_facts: removedFacts,
    ledger: total,
  };
  const width = Math.max(...tables.map(({ name }) => name.length));
  report(options, result, [
    ...tables.map(
      (table) => `${table.name.padEnd(width)}  ${table.result.padEnd(9)}  ${table.rows}`,
    ),
    different.length === 0
      ? 'Every table that did not change during the backup has its checksum.'
      : `These tables are not as they were saved: ${different.map(({ name }) => name).join(', ')}.`,
    ...(options.until === undefined
      ? []
      : [`Removed ${removedFacts} facts after ${options.until}.`]),
    holds ? 'The ledger holds.' : 'The ledger does not hold; run `ledger` and see ledger.md.',
    ...(manifest.files_bucket === null
      ? []
      : [`Files are in the bucket ${manifest.files_bucket}, which was not restored.`]),
  ]);
  if (different.length > 0 || !holds) process.exitCode = 1;
}
