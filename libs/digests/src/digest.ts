import { createHash, hash } from 'node:crypto';
import { printJson } from './canonical-json.js';
import { internalRefs } from './internal-refs.js';

/** The SHA-256 of the bytes as 43 alphanumeric characters. */
export function contentDigest(bytes: string | Buffer): string {
  return asDigest(hash('sha256', bytes, 'base64url'));
}

/** The digest of an object's value or a table's row, computed from its JSON text. */
export function valueDigest(json: string): string {
  return contentDigest(printJson(json, { sortKeys: true, replace: internalRefs }));
}

/** The digest of a table: SHA-256 over the concatenated digests of its rows, in hex. */
export function tableDigest(rowDigests: Iterable<string>): string {
  const builder = new TableDigestBuilder();
  builder.add(rowDigests);
  return builder.digest();
}

const PENDING_MAX_BYTES = 16 * 1024;

/** Computes `tableDigest` incrementally. */
export class TableDigestBuilder {
  private readonly hash = createHash('sha256');
  private pending: Buffer | undefined;
  private pendingBytes = 0;

  add(rowDigests: Iterable<string>): void {
    this.flush();
    for (const digest of rowDigests) this.hash.update(digest);
  }

  /** As `add`, for one digest. Few long updates are much faster than many short ones. */
  addBytes(digest: Buffer): void {
    if (this.pendingBytes + digest.length > PENDING_MAX_BYTES) this.flush();
    if (digest.length > PENDING_MAX_BYTES) this.hash.update(digest);
    else {
      this.pending ??= Buffer.allocUnsafe(PENDING_MAX_BYTES);
      this.pendingBytes += digest.copy(this.pending, this.pendingBytes);
    }
  }

  digest(): string {
    this.flush();
    return this.hash.digest('hex');
  }

  private flush(): void {
    if (this.pending !== undefined) this.hash.update(this.pending.subarray(0, this.pendingBytes));
    this.pendingBytes = 0;
  }
}

/** Computes `contentDigest` incrementally. */
export class ContentDigestBuilder {
  private readonly hash = createHash('sha256');

  add(bytes: Buffer): void {
    this.hash.update(bytes);
  }

  digest(): string {
    return asDigest(this.hash.digest('base64url'));
  }
}

const asDigest = (base64url: string) => base64url.replaceAll('-', 'X').replaceAll('_', 'Y');
