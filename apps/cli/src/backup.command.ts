import { Command } from 'commander';
import { OldParts, ShardNodes, Store } from '@app/clickhouse';
import { AuditTrail } from '@app/queue';
import { Redis } from '@app/redis';
import { CommandsModule, RewriteLock } from '../../worker/src/commands.module.js';
import { recordAction } from './audit.command.js';
import { BackupKey } from './backup/backup-key.js';
import { backupTarget, type BackupTarget } from './backup/backup-place.js';
import { interruptible } from './backup/interruption.js';
import type { BackupBase } from './backup/backup-plan.js';
import { makeBackup } from './backup/make-backup.js';
import type { Manifest } from './backup/manifest.js';
import { NODES_OPTION, nodeUrls } from './backup/nodes-option.js';
import { verifyBackup, withBase } from './backup/verified-backup.js';
import {
  commandConfig,
  JSON_OPTION,
  report,
  UsageError,
  withModule,
  type JsonOption,
} from './context.js';

interface Options extends JsonOption {
  readonly to?: string;
  readonly base?: string;
  readonly encryptWith?: string;
  readonly nodes?: string;
}

export function backupCommand(): Command {
  return (
    new Command('backup')
      .description('copy everything into a new directory or bucket prefix, while the system runs')
      .option('--to <place>', 'a directory or s3://bucket/prefix with nothing in it')
      .option('--base <place>', 'a full backup; only what has changed since is copied')
      .option('--encrypt-with <file>', 'encrypt with the key in this file: 64 hexadecimal digits')
      .option(...NODES_OPTION)
      .option(...JSON_OPTION)
      .action(backup)
      // The same options belong to the subcommand after its name.
      .enablePositionalOptions()
      .addCommand(
        new Command('verify')
          .description('check that a backup is complete and that no file of it has changed')
          .argument('<place>')
          .option('--base <place>', 'where its base is now, if that was moved')
          .option('--decrypt-with <file>', 'check that this is the key of the backup, too')
          .option(...JSON_OPTION)
          .action(verify),
      )
  );
}

async function backup(options: Options): Promise<void> {
  const { to, base, encryptWith } = options;
  if (to === undefined)
    throw new UsageError('Say where to: --to <directory or s3://bucket/prefix>.');
  const nodes = nodeUrls(options);
  const key = encryptWith === undefined ? undefined : await BackupKey.read(encryptWith);
  const target = await backupTarget(to);
  const manifest = await interruptible('backup', async (signal) => {
    try {
      return await withBase(base, key, signal, (known) =>
        lockedBackup(target, { base: known, key, nodes }, signal),
      );
    } catch (error) {
      await target.remove();
      throw error;
    }
  });
  const detail = { id: manifest.id, to: target.name };
  await recordAction({ action: 'backup', projectId: '', detail });
  reportBackup(options, target.name, manifest);
}

interface Choice {
  readonly base: BackupBase | undefined;
  readonly key: BackupKey | undefined;
  readonly nodes: readonly string[];
}

/** No rebuild, erasure or expiry runs meanwhile. */
function lockedBackup(
  target: BackupTarget,
  { nodes, ...choice }: Choice,
  interrupted: AbortSignal,
): Promise<Manifest> {
  return withModule(CommandsModule.register.bind(CommandsModule), async (context) => {
    const config = commandConfig();
    const shards = await ShardNodes.connect(config.clickhouse, nodes);
    const stores = {
      store: context.get(Store, { strict: false }),
      shards,
      redis: context.get(Redis, { strict: false }),
      trail: context.get(AuditTrail, { strict: false }),
    };
    const copy = async (lost: AbortSignal) => {
      const signal = AbortSignal.any([interrupted, lost]);
      // Until they are reset, tables are not merged, and a backup may take hours.
      await new OldParts(stores.store).resetSettings();
      const plan = { directory: target.path, ...choice };
      const manifest = await makeBackup(stores, plan, config, signal);
      const paths = manifest.files.map(({ path }) => path);
      await target.finish(paths, signal);
      return manifest;
    };
    return context
      .get(RewriteLock, { strict: false })
      .run(copy)
      .finally(() => shards.close());
  });
}

function reportBackup(options: JsonOption, name: string, manifest: Manifest): void {
  const { tables, files, began_at, files_bucket, pending_chunks } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  report(options, { place: name, bytes, ...manifest }, [
    `Copied ${rows} rows of ${tables.length} tables and ${pending_chunks} pending chunks: ${bytes} bytes in ${name}.`,
    `Everything that was acknowledged before ${began_at} is in it.`,
    ...(files_bucket === null ? [] : [`Files in the bucket ${files_bucket} are not in it.`]),
  ]);
}

interface VerifyOptions extends JsonOption {
  readonly base?: string;
  readonly decryptWith?: string;
}

async function verify(
  place: string,
  { base, decryptWith, ...options }: VerifyOptions,
): Promise<void> {
  const key = decryptWith === undefined ? undefined : await BackupKey.read(decryptWith);
  const choice = { from: place, base, key };
  const manifest = await interruptible('check', (signal) => verifyBackup(choice, signal));
  report(options, { is_complete: true, ...manifest }, [
    `${place} is complete: ${manifest.files.length} files, as they were written.`,
    ...(manifest.base === null ? [] : ['So is its base.']),
  ]);
}
