import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { savedFiles } from './backup-files.js';
import { readManifest, verifyFiles, writeManifest, type Manifest } from './manifest.js';

const NO_PROGRESS = () => undefined;

async function aBackup(changes: Partial<Manifest> = {}): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'heddle-manifest-'));
  mkdirSync(join(directory, 'clickhouse'));
  writeFileSync(join(directory, 'redis.ndjson.gz'), 'redis');
  writeFileSync(join(directory, 'clickhouse/.backup'), 'tables');
  const files = await savedFiles(directory);
  await writeManifest(directory, { format: 1, base: null, files, ...changes } as Manifest);
  return directory;
}

describe('the manifest of a backup', () => {
  it('lists every file, and is readable by its owner only', async () => {
    const directory = await aBackup();
    const manifest = await readManifest(directory);
    expect(manifest.files.map(({ path }) => path)).toEqual([
      'clickhouse/.backup',
      'redis.ndjson.gz',
    ]);
    expect(statSync(join(directory, 'manifest.json')).mode & 0o777).toBe(0o600);
    await expect(verifyFiles(directory, manifest, NO_PROGRESS)).resolves.toBeUndefined();
  });

  it('shows a file that was changed or is missing', async () => {
    const directory = await aBackup();
    const manifest = await readManifest(directory);
    writeFileSync(join(directory, 'redis.ndjson.gz'), 'other');
    await expect(verifyFiles(directory, manifest, NO_PROGRESS)).rejects.toThrow('SHA-256 differs');
    rmSync(join(directory, 'redis.ndjson.gz'));
    await expect(verifyFiles(directory, manifest, NO_PROGRESS)).rejects.toThrow('cannot be read');
  });

  it('is refused when it is missing, of another format, or leads out of its directory', async () => {
    const refused = async (directory: string) => {
      await expect(readManifest(directory)).rejects.toMatchObject({ code: 'backup_failed' });
    };
    await refused(join(tmpdir(), 'heddle-no-such-backup'));
    await refused(await aBackup({ format: 2 as 1 }));
    const outside = { path: '../secret', bytes: 1, sha256: '' };
    await refused(await aBackup({ files: [outside] }));
    await refused(await aBackup({ files: [{ ...outside, path: '/etc/passwd' }] }));
    const broken = await aBackup();
    writeFileSync(join(broken, 'manifest.json'), '{');
    await refused(broken);
  });
});
