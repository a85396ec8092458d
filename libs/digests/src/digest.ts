import { createHash, hash } from 'node:crypto';
import { printJson } from './canonical-json.js';
import { internalRefs } from './internal-refs.js';

/** 43 letters and digits that stand for these bytes. */
export function contentDigest(bytes: string | Buffer): string {
  return asDigest(hash('sha256', bytes, 'base64url'));
}

/** The digest of an object's value or of a table's row, from its JSON text. */
export function valueDigest(json: string): string {
  return contentDigest(printJson(json, { sortKeys: true, replace: internalRefs }));
}

/** The digest of a table: hex, over the digests of its rows one after the other. */
export function tableDigest(rowDigests: Iterable<string>): string {
  const sum = new DigestOfRows();
  sum.add(rowDigests);
  return sum.digest();
}

/** The same for rows that come some at a time. */
export class DigestOfRows {
  private readonly sum = createHash('sha256');

  add(rowDigests: Iterable<string>): void {
    for (const digest of rowDigests) this.sum.update(digest);
  }

  digest(): string {
    return this.sum.digest('hex');
  }
}

/** The digest of bytes that come piece by piece. */
export class DigestOfPieces {
  private readonly sum = createHash('sha256');

  add(piece: Buffer): void {
    this.sum.update(piece);
  }

  digest(): string {
    return asDigest(this.sum.digest('base64url'));
  }
}

const asDigest = (base64url: string) => base64url.replaceAll('-', 'X').replaceAll('_', 'Y');
