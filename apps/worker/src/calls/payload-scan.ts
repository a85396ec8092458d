import { endOfString, endOfValue, pathHash, skipSpace } from '@app/wire';
import { LeafPath, LeafWriter, type Leaves } from './leaves.js';
import { SeenKeys } from './seen-keys.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const W = 0x77;
const COLON = 0x3a;
const NO_REFS: readonly string[] = [];
/** UTF-16 code units. Each takes at most three bytes, or six when it is escaped. */
const STRING_MAX = 256;

const REF =
  /^(?:weave:\/\/\/[^/\s]+\/[^/\s]+\/(?:(?:object|op)\/[^/:\s]+:[^/\s]+|table\/[^/\s]+|call\/[^/\s]+|agent_(?:turn|conversation|span)\/[^/\s]+)(?:\/[^\s]*)?|wandb-artifact:\/\/\/[^\s]+)$/;

/**
 * Every value is stored with its path, so that a long key around many small values would take far more memory than their payload. The
 * paths of a payload may have this number of bytes for each of its own, and those of a short one this many more.
 */
const PATH_BYTES_PER_BYTE = 16;
const PATH_BYTES_LEAST = 1024;
/** Of all payloads of a call. */
const PATH_BYTES_MAX = 32 * 1024 ** 2;

/**
 * Finds the leaves and refs of a call's payloads in one pass over their bytes. Parsing them into JavaScript values first
 * cost three times as much. One instance is reused for many calls.
 */
export class PayloadScan {
  private readonly strings = new LeafWriter();
  private readonly numbers = new LeafWriter();
  private readonly booleans = new LeafWriter();
  private readonly path = new LeafPath();
  private readonly kinds = [this.strings, this.numbers, this.booleans];
  private readonly keys = new SeenKeys();
  private refs: Set<string> | undefined;
  private unindexedPaths: number[] = [];
  private isComplete = true;
  /** Its leaves would be ambiguous, or too long. */
  private isUnindexed = false;
  private pathBytesLeft = 0;
  /** Of the payloads of the call that have been added. */
  private pathBytes = 0;
  /** No escape is between the last string that was looked at and here. */
  private nextEscape = 0;

  /**
   * Adds the scalars of a payload under the name of its field. Returns its refs: strings that consist of a ref only. Throws for a payload
   * that is not JSON; then the call has no leaves.
   */
  add(field: string, json: Buffer): readonly string[] {
    try {
      return json.length === 0 ? NO_REFS : this.addPayload(field, json);
    } catch (error) {
      this.drain();
      throw error;
    }
  }

  private addPayload(field: string, json: Buffer): readonly string[] {
    for (const kind of this.kinds) kind.mark();
    const unindexedBefore = this.unindexedPaths.length;
    this.refs = undefined;
    this.isUnindexed = false;
    const allowed = Math.min(
      PATH_BYTES_LEAST + json.length * PATH_BYTES_PER_BYTE,
      PATH_BYTES_MAX - this.pathBytes,
    );
    this.pathBytesLeft = allowed;
    this.nextEscape = 0;
    this.keys.clear();
    this.path.reset(field);
    this.value(json, skipSpace(json, 0));
    if (this.isUnindexed) {
      this.isComplete = false;
      this.unindexedPaths.length = unindexedBefore;
      for (const kind of this.kinds) kind.rollBack();
      return [...refsIn(JSON.parse(json.toString('utf8')))];
    }
    this.pathBytes += allowed - this.pathBytesLeft;
    return this.refs === undefined ? NO_REFS : [...(this.refs as Set<string>)];
  }

  /** Returns the leaves added since the last call. */
  drain(): Leaves {
    const { unindexedPaths, isComplete } = this;
    [this.unindexedPaths, this.isComplete, this.pathBytes] = [[], true, 0];
    return {
      strings: this.strings.drain(),
      numbers: this.numbers.drain(),
      booleans: this.booleans.drain(),
      unindexedPaths,
      isComplete,
    };
  }

  /** Scans the value at offset `at` and returns the offset of its end, or the end of all when the rest does not matter. */
  private value(json: Buffer, at: number): number {
    this.pathBytesLeft -= this.path.length;
    if (this.pathBytesLeft < 0) this.isUnindexed = true;
    if (this.isUnindexed) return json.length;
    switch (json[at]) {
      case QUOTE:
        return this.string(json, at);
      case 0x7b:
        return this.object(json, at);
      case 0x5b:
        return this.array(json, at);
      case 0x74:
        this.booleans.beginLeaf(this.path).uint8(1);
        return at + 4;
      case 0x66:
        this.booleans.beginLeaf(this.path).uint8(0);
        return at + 5;
      case 0x6e:
      case undefined:
        return at + 4;
      default:
        return this.number(json, at);
    }
  }

  private object(json: Buffer, start: number): number {
    this.markUnindexed();
    const level = this.path.length;
    const first = this.keys.begin();
    let at = skipSpace(json, start + 1);
    while (at < json.length && json[at] !== CLOSE_BRACE) {
      const keyEnd = endOfString(json, at);
      this.key(json, at, keyEnd);
      // Of a repeated key, JSON.parse uses the last value and other parsers the first.
      if (!this.keys.add(first, this.path.hash)) this.isUnindexed = true;
      at = skipSpace(json, this.value(json, skipSpace(json, skipSpace(json, keyEnd) + 1)));
      if (json[at] === COMMA) at = skipSpace(json, at + 1);
      this.path.truncate(level);
    }
    this.keys.end(first);
    return at + 1;
  }

  private array(json: Buffer, start: number): number {
    this.markUnindexed();
    const level = this.path.length;
    let at = skipSpace(json, start + 1);
    for (let index = 0; at < json.length && json[at] !== CLOSE_BRACKET; index++) {
      this.path.addIndex(index);
      at = skipSpace(json, this.value(json, at));
      if (json[at] === COMMA) at = skipSpace(json, at + 1);
      this.path.truncate(level);
    }
    return at + 1;
  }

  private key(json: Buffer, start: number, end: number): void {
    if (this.path.addPlainKey(json, start + 1, end - 1)) return;
    const key = JSON.parse(json.toString('utf8', start, end)) as string;
    if (!key.isWellFormed()) this.isUnindexed = true;
    this.path.addKey(key);
  }

  private string(json: Buffer, start: number): number {
    const end = endOfString(json, start);
    if (this.hasEscape(json, start + 1, end - 1)) this.escapedString(json, start, end);
    else {
      if (mayBeRef(json, start + 1)) this.addIfRef(json.toString('utf8', start + 1, end - 1));
      if (isShort(json, start + 1, end - 1)) {
        this.strings.beginLeaf(this.path).sized(json, start + 1, end - 1);
      } else this.markUnindexed();
    }
    return end;
  }

  /** Searches natively, once from each escape to the next. Strings are looked at in order. */
  private hasEscape(json: Buffer, start: number, end: number): boolean {
    if (this.nextEscape < start) {
      const found = json.indexOf(BACKSLASH, start);
      this.nextEscape = found === -1 ? json.length : found;
    }
    return this.nextEscape < end;
  }

  private escapedString(json: Buffer, start: number, end: number): void {
    const canBeRef = json[start + 1] === W || json[start + 1] === BACKSLASH;
    if (end - start - 2 > STRING_MAX * 6 && !canBeRef) {
      this.markUnindexed();
      return;
    }
    const value = JSON.parse(json.toString('utf8', start, end)) as string;
    this.addIfRef(value);
    if (value.length <= STRING_MAX && value.isWellFormed()) {
      this.strings.beginLeaf(this.path).text(value);
    } else this.markUnindexed();
  }

  /** The value at the current path is not a leaf, so a filter on it must read the text. */
  private markUnindexed(): void {
    this.unindexedPaths.push(pathHash(this.path.bytes, this.path.length));
  }

  private addIfRef(value: string): void {
    if (isRef(value)) (this.refs ??= new Set()).add(value);
  }

  private number(json: Buffer, start: number): number {
    const end = endOfValue(json, start);
    const value = numberAt(json, start, end);
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      this.numbers.beginLeaf(this.path).float64(value);
    else this.markUnindexed();
    return end;
  }
}

/** Whether the text at this offset, which has no escapes, begins with the scheme of a ref or with another word of that length. */
function mayBeRef(json: Buffer, at: number): boolean {
  if (json[at] !== W) return false;
  return json[at + 'weave'.length] === COLON || json[at + 'wandb-artifact'.length] === COLON;
}

/**
 * Whether valid UTF-8 has at most STRING_MAX code units of UTF-16. Continuation bytes do not count; a sequence of four bytes
 * is two units.
 */
function isShort(json: Buffer, start: number, end: number): boolean {
  if (end - start <= STRING_MAX) return true;
  if (end - start > STRING_MAX * 3) return false;
  let units = 0;
  for (let at = start; at < end && units <= STRING_MAX; at++) {
    const byte = json[at]!;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units <= STRING_MAX;
}

/** Parses short integers directly, and everything else with `Number`. */
function numberAt(json: Buffer, start: number, end: number): number {
  if (end - start > 9) return Number(json.toString('latin1', start, end));
  let value = 0;
  for (let at = start; at < end; at++) {
    const digit = json[at]! - 0x30;
    if (digit < 0 || digit > 9) return Number(json.toString('latin1', start, end));
    value = value * 10 + digit;
  }
  return value;
}

/** Most strings are not refs, and their first character shows it more cheaply than the pattern. */
function isRef(text: string): boolean {
  return text.startsWith('w') && REF.test(text);
}

function refsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    if (isRef(value)) found.add(value);
  } else if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) refsIn(part, found);
  }
  return found;
}
