import { createHash } from 'node:crypto';

const HASH_BYTES = 8;
const SENT = 1;
const ACKNOWLEDGED = 2;

/** The hash that ClickHouse computes with `lower(hex(substring(SHA1(text), 1, 8)))`. */
export const hashOf = (text) =>
  createHash('sha1')
    .update(text)
    .digest('hex')
    .slice(0, 2 * HASH_BYTES);

/**
 * Records which facts were sent to a server and which it acknowledged, by number of call: 18 bytes per call, so that
 * millions fit in memory. An acknowledged fact must be stored. A fact that was sent and never acknowledged may be stored.
 */
export class Acknowledged {
  #states = { start: new Uint8Array(1024), end: new Uint8Array(1024) };
  #hashes = { start: Buffer.alloc(1024 * HASH_BYTES), end: Buffer.alloc(1024 * HASH_BYTES) };
  /** The number of calls that were sent. */
  calls = 0;
  /** The number of acknowledged facts; a fact that is acknowledged twice counts once. */
  facts = 0;

  /** Call this before the first byte is sent. `hash` is the hash of the payload's text. */
  sent(kind, number, hash) {
    this.#grow(number);
    this.calls = Math.max(this.calls, number + 1);
    this.#states[kind][number] |= SENT;
    this.#hashes[kind].write(hash, number * HASH_BYTES, 'hex');
  }

  acknowledged(kind, number) {
    if ((this.#states[kind][number] & ACKNOWLEDGED) === 0) this.facts++;
    this.#states[kind][number] |= ACKNOWLEDGED;
  }

  wasSent = (kind, number) => (this.#states[kind][number] & SENT) !== 0;
  wasAcknowledged = (kind, number) => (this.#states[kind][number] & ACKNOWLEDGED) !== 0;

  hash(kind, number) {
    return this.#hashes[kind].toString('hex', number * HASH_BYTES, (number + 1) * HASH_BYTES);
  }

  #grow(number) {
    while (number >= this.#states.start.length) {
      for (const kind of ['start', 'end']) {
        const states = new Uint8Array(this.#states[kind].length * 2);
        states.set(this.#states[kind]);
        this.#states[kind] = states;
        this.#hashes[kind] = Buffer.concat([
          this.#hashes[kind],
          Buffer.alloc(this.#hashes[kind].length),
        ]);
      }
    }
  }
}

/**
 * Compares the stored calls with the acknowledged facts. `rows` are `[number, hash of inputs, hash of output or '']`, one
 * per stored call as a reader sees it. Every list of the result is empty when nothing is wrong.
 */
export function compare(record, rows) {
  const findings = { lost: [], lostEnds: [], double: [], unknown: [], different: [] };
  const seen = new Uint8Array(record.calls);
  for (const [number, inputs, output] of rows) {
    if (!(number < record.calls) || !record.wasSent('start', number)) findings.unknown.push(number);
    else if (seen[number]++ > 0) findings.double.push(number);
    else compareOne(record, findings, number, inputs, output);
  }
  for (let number = 0; number < record.calls; number++) {
    if (seen[number] === 0 && record.wasAcknowledged('start', number)) findings.lost.push(number);
  }
  return findings;
}

function compareOne(record, { lostEnds, different }, number, inputs, output) {
  if (inputs !== record.hash('start', number)) different.push(number);
  else if (output === '') {
    if (record.wasAcknowledged('end', number)) lostEnds.push(number);
  } else if (!record.wasSent('end', number) || output !== record.hash('end', number)) {
    different.push(number);
  }
}
