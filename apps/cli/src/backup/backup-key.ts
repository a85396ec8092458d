import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  randomBytes,
  type DecipherGCM,
} from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Transform, type TransformCallback } from 'node:stream';
import { UsageError } from '../context.js';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The key of an encrypted backup: 32 random bytes that the operator keeps in a file. */
export class BackupKey {
  private constructor(private readonly key: Buffer) {}

  /** Reads 64 hexadecimal digits. */
  static async read(file: string): Promise<BackupKey> {
    const text = await readFile(file, 'utf8').catch((error: Error) => {
      throw new UsageError(`The key file ${file} cannot be read (${error.message}).`);
    });
    if (!/^[0-9a-f]{64}$/i.test(text.trim()))
      throw new UsageError(
        `${file} is not a key of 64 hexadecimal digits; make one with openssl rand -hex 32.`,
      );
    return new BackupKey(Buffer.from(text.trim(), 'hex').subarray(0, KEY_BYTES));
  }

  /** Tells keys apart without revealing them. */
  get id(): string {
    return this.derived('key id').toString('hex').slice(0, 16);
  }

  /** Produces a nonce, the encrypted bytes and their tag. The path in the backup is authenticated with them. */
  encryption(path: string): Transform {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.derived('files'), nonce).setAAD(Buffer.from(path));
    let isFirst = true;
    return new Transform({
      transform(piece: Buffer, _, done) {
        if (isFirst) this.push(nonce);
        isFirst = false;
        done(null, cipher.update(piece));
      },
      flush(done) {
        if (isFirst) this.push(nonce);
        this.push(cipher.final());
        done(null, cipher.getAuthTag());
      },
    });
  }

  /** Fails at the end of a file that was changed; nothing before it may be relied on. */
  decryption(path: string): Transform {
    const key = this.derived('files');
    let decipher: DecipherGCM | undefined;
    // The last bytes are the tag, so that many are kept for the end.
    let buffered = Buffer.alloc(0);
    return new Transform({
      transform(piece: Buffer, _, done) {
        buffered = Buffer.concat([buffered, piece]);
        if (decipher === undefined && buffered.length >= NONCE_BYTES) {
          decipher = createDecipheriv(CIPHER, key, buffered.subarray(0, NONCE_BYTES));
          decipher.setAAD(Buffer.from(path));
          buffered = buffered.subarray(NONCE_BYTES);
        }
        if (decipher === undefined || buffered.length <= TAG_BYTES) return done();
        const ready = buffered.subarray(0, buffered.length - TAG_BYTES);
        buffered = buffered.subarray(buffered.length - TAG_BYTES);
        done(null, decipher.update(ready));
      },
      flush(done) {
        finish(decipher, buffered, done);
      },
    });
  }

  private derived(purpose: string): Buffer {
    return createHmac('sha256', this.key).update(`heddle backup: ${purpose}`).digest();
  }
}

function finish(decipher: DecipherGCM | undefined, tag: Buffer, done: TransformCallback): void {
  try {
    if (decipher === undefined || tag.length !== TAG_BYTES)
      throw new Error('the file is too short');
    done(null, decipher.setAuthTag(tag).final());
  } catch (error) {
    done(error as Error);
  }
}
