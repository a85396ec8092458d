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
  switch (typeof value) {
    case 'string':
      if (value.length <= STRING_MAX && value.isWellFormed()) leaves.strings.set(path, value);
      else leaves.full = false;
      return;
    case 'number':
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) leaves.numbers.set(path, value);
      else leaves.full = false;
      return;
    case 'boolean':
      leaves.booleans.set(path, value);
      return;
    case 'object':
      if (value === null) return;
      for (const [key, part] of Object.entries(value))
        addLeaves(leaves, `${path}.${escaped(key)}`, part);
  }
}

function escaped(key: string): string {
  return /[.\\]/.test(key) ? key.replace(/[.\\]/g, '\\$&') : key;
}
