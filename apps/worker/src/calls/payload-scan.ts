import { endOfString, endOfValue, pathHash, skipSpace } from '@app/wire';
import { isRef, refsIn } from './call-refs.js';
import { KeysSeen } from './keys-seen.js';
import { LeafPath } from './leaf-path.js';
import { LeafWriter, type Leaves } from './leaves.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const CLOSE_BRACE = 0x7d;
const W = 0x77;
/** UTF-16 units; one takes three bytes at most, or six when it is escaped. */
const STRING_MAX = 256;

/**
 * One pass over the payloads of a call, from their bytes to the bytes of the leaves: making JavaScript values in between
 * cost three times as much. One scan serves many calls, one after the other.
 */
export class PayloadScan {
  private readonly strings = new LeafWriter();
  private readonly numbers = new LeafWriter();
  private readonly booleans = new LeafWriter();
  private readonly path = new LeafPath();
  private refs = new Set<string>();
  private rest: number[] = [];
  private full = true;
  private isDoubtful = false;

  /** Adds the scalars of a payload under the name of its field; returns the refs that are whole strings in it. */
  add(field: string, json: Buffer): string[] {
    if (json.length === 0) return [];
    const kinds = [this.strings, this.numbers, this.booleans];
    const before = kinds.map((kind) => kind.mark());
    const known = this.rest.length;
    this.refs = new Set();
    this.isDoubtful = false;
    this.path.begin(field);
    this.value(json, skipSpace(json, 0));
    if (this.isDoubtful) {
      this.full = false;
      this.rest.length = known;
      kinds.forEach((kind, i) => kind.backTo(before[i]!));
      this.refs = refsIn(JSON.parse(json.toString('utf8')));
    }
    return [...this.refs];
  }

  /** What was added since the last time. */
  take(): Leaves {
    const { rest, full } = this;
    [this.rest, this.full] = [[], true];
    const [strings, numbers] = [this.strings.take(), this.numbers.take()];
    return { strings, numbers, booleans: this.booleans.take(), rest, full };
  }

  /** Reads the value that begins at `at`; returns where it ends. */
  private value(json: Buffer, at: number): number {
    switch (json[at]) {
      case QUOTE:
        return this.string(json, at);
      case 0x7b:
        return this.object(json, at);
      case 0x5b:
        return this.array(json, at);
      case 0x74:
        this.booleans.at(this.path).uint8(1);
        return at + 4;
      case 0x66:
        this.booleans.at(this.path).uint8(0);
        return at + 5;
      case 0x6e:
      case undefined:
        return at + 4;
      default:
        return this.number(json, at);
    }
  }

  private object(json: Buffer, start: number): number {
    this.leaveOut();
    const level = this.path.length;
    const seen = new KeysSeen();
    let at = skipSpace(json, start + 1);
    while (at < json.length && json[at] !== CLOSE_BRACE) {
      const keyEnd = endOfString(json, at);
      this.key(json, at, keyEnd);
      // Of a repeated key JSON.parse takes the last value and others the first.
      if (seen.has(this.path.hash)) this.isDoubtful = true;
      at = skipSpace(json, this.value(json, skipSpace(json, skipSpace(json, keyEnd) + 1)));
      if (json[at] === COMMA) at = skipSpace(json, at + 1);
      this.path.cutTo(level);
    }
    return at + 1;
  }

  private array(json: Buffer, start: number): number {
    this.leaveOut();
    const level = this.path.length;
    let at = skipSpace(json, start + 1);
    for (let index = 0; at < json.length && json[at] !== CLOSE_BRACKET; index++) {
      this.path.addIndex(index);
      at = skipSpace(json, this.value(json, at));
      if (json[at] === COMMA) at = skipSpace(json, at + 1);
      this.path.cutTo(level);
    }
    return at + 1;
  }

  private key(json: Buffer, start: number, end: number): void {
    if (this.path.addPlainKey(json, start + 1, end - 1)) return;
    const key = JSON.parse(json.toString('utf8', start, end)) as string;
    if (!key.isWellFormed()) this.isDoubtful = true;
    this.path.addKey(key);
  }

  private string(json: Buffer, start: number): number {
    const end = endOfString(json, start);
    if (hasEscape(json, start + 1, end - 1)) this.escapedString(json, start, end);
    else {
      if (json[start + 1] === W) this.refIn(json.toString('utf8', start + 1, end - 1));
      if (isShort(json, start + 1, end - 1)) {
        this.strings.at(this.path).sized(json, start + 1, end - 1);
      } else this.leaveOut();
    }
    return end;
  }

  private escapedString(json: Buffer, start: number, end: number): void {
    const mayBeRef = json[start + 1] === W || json[start + 1] === BACKSLASH;
    if (end - start - 2 > STRING_MAX * 6 && !mayBeRef) {
      this.leaveOut();
      return;
    }
    const value = JSON.parse(json.toString('utf8', start, end)) as string;
    this.refIn(value);
    if (value.length <= STRING_MAX && value.isWellFormed()) {
      this.strings.at(this.path).text(value);
    } else this.leaveOut();
  }

  /** What stands here is in no leaf: whoever asks for it must read the text. */
  private leaveOut(): void {
    this.rest.push(pathHash(this.path.bytes, this.path.length));
  }

  private refIn(value: string): void {
    if (isRef(value)) this.refs.add(value);
  }

  private number(json: Buffer, start: number): number {
    const end = endOfValue(json, start);
    const value = numberAt(json, start, end);
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) this.numbers.at(this.path).float64(value);
    else this.leaveOut();
    return end;
  }
}

function hasEscape(json: Buffer, start: number, end: number): boolean {
  if (end - start > 64) return json.subarray(start, end).includes(BACKSLASH);
  for (let at = start; at < end; at++) if (json[at] === BACKSLASH) return true;
  return false;
}

/** Whether valid UTF-8 has no more than STRING_MAX units: bytes that go on do not count, four of them are two units. */
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

/** A few digits are read here; anything else by the language. */
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
