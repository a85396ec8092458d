import { extentOfValue } from './json-spans.js';

/** A stretch of JSON text, as bytes. */
export class JsonText {
  /** Whoever found the text has counted its levels on the way. */
  constructor(
    readonly bytes: Buffer,
    private readonly counted?: number,
  ) {}

  /** Levels of nesting; 0 for a scalar. */
  get depth(): number {
    return this.counted ?? extentOfValue(this.bytes, 0).depth;
  }

  get isObject(): boolean {
    return this.bytes[0] === 0x7b;
  }

  get isNull(): boolean {
    return this.bytes.length === 4 && this.bytes[0] === 0x6e;
  }

  toString(): string {
    return this.bytes.toString('utf8');
  }
}
