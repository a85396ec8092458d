import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BackupKey } from './backup-key.js';

const directory = mkdtempSync(join(tmpdir(), 'heddle-key-'));

function keyOf(text: string): Promise<BackupKey> {
  const file = join(directory, 'key');
  writeFileSync(file, text);
  return BackupKey.read(file);
}

const through = (transform: Transform, bytes: Buffer, pieceBytes = 7) => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    pieces.push(bytes.subarray(at, at + pieceBytes));
  return buffer(Readable.from(pieces).pipe(transform));
};

const KEY = '0123456789abcdef'.repeat(4);
const PLAIN = Buffer.from('facts that are pending '.repeat(50));

describe('the key of a backup', () => {
  it('encrypts and decrypts, however the bytes are cut', async () => {
    const key = await keyOf(`${KEY}\n`);
    const sealed = await through(key.encryption('a'), PLAIN);
    expect(sealed.includes('pending')).toBe(false);
    expect(await through(key.decryption('a'), sealed, 1)).toEqual(PLAIN);
    expect(await through(key.decryption('a'), sealed, 10_000)).toEqual(PLAIN);
  });

  it('refuses bytes that were changed, cut off, moved, or encrypted with another key', async () => {
    const key = await keyOf(KEY);
    const sealed = await through(key.encryption('a'), PLAIN);
    const changed = Buffer.from(sealed);
    changed[40]! ^= 1;
    const other = await keyOf('f'.repeat(64));
    await expect(through(key.decryption('a'), changed)).rejects.toThrow();
    await expect(through(key.decryption('a'), sealed.subarray(0, -1))).rejects.toThrow();
    await expect(through(key.decryption('a'), sealed.subarray(0, 20))).rejects.toThrow();
    await expect(through(other.decryption('a'), sealed)).rejects.toThrow();
    await expect(through(key.decryption('b'), sealed)).rejects.toThrow();
  });

  it('is recognised by an id that does not reveal it', async () => {
    const key = await keyOf(KEY);
    expect(key.id).toBe((await keyOf(KEY.toUpperCase())).id);
    expect(key.id).not.toBe((await keyOf('f'.repeat(64))).id);
    expect(KEY).not.toContain(key.id);
  });

  it('is 64 hexadecimal digits', async () => {
    await expect(keyOf('secret')).rejects.toThrow('openssl rand -hex 32');
    await expect(BackupKey.read(join(directory, 'none'))).rejects.toThrow('cannot be read');
  });
});
