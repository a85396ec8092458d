const STRING_MAX = 256;

/**
 * The scalars of a call's payloads by path, typed, so that a filter need not parse text. What cannot be held exactly is
 * left out and makes `full` false: then the text decides.
 */
export interface Leaves {
  readonly strings: Map<string, string>;
  readonly numbers: Map<string, number>;
  readonly booleans: Map<string, boolean>;
  full: boolean;
}

export function noLeaves(): Leaves {
  return { strings: new Map(), numbers: new Map(), booleans: new Map(), full: true };
}

/** Adds the scalars of `value`, found at `path`. A dot inside a key is escaped with a backslash. */
export function addLeaves(leaves: Leaves, path: string, value: unknown): void {
  if (typeof value === 'string') addString(leaves, path, value);
  else if (typeof value === 'number') addNumber(leaves, path, value);
  else if (typeof value === 'boolean') leaves.booleans.set(path, value);
  else if (value !== null && typeof value === 'object') {
    for (const [key, part] of Object.entries(value)) {
      addLeaves(leaves, `${path}.${escaped(key)}`, part);
    }
  }
}

function addString(leaves: Leaves, path: string, value: string): void {
  if (value.length <= STRING_MAX && value.isWellFormed()) leaves.strings.set(path, value);
  else leaves.full = false;
}

function addNumber(leaves: Leaves, path: string, value: number): void {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) leaves.numbers.set(path, value);
  else leaves.full = false;
}

function escaped(key: string): string {
  return /[.\\]/.test(key) ? key.replace(/[.\\]/g, '\\$&') : key;
}
