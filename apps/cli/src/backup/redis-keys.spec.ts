import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_PREFIX } from '@app/redis';
import {
  COPIED_HASHES,
  COPIED_OTHERWISE,
  COPIED_SETS,
  COPIED_STRINGS,
  NOT_COPIED,
} from './redis-keys.js';

/** The first part after the prefix of every key that the code names; of keys of records, the second. */
function namedKeys(): string[] {
  const names = ['apps', 'libs']
    .flatMap((root) =>
      readdirSync(root, { recursive: true }).map((file) => join(root, String(file))),
    )
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
    .filter((file) => !file.includes('cli/src/backup'))
    .flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(
        /\$\{(?:KEY_PREFIX|prefix)\}:(?:records:)?([a-z][a-z-]*)/g,
      ),
    ])
    .map(([, name]) => name!);
  return [...new Set(names)].filter((name) => name !== 'records').sort();
}

describe('the keys of Redis in a backup', () => {
  it('are decided for every key that the code uses', () => {
    const copied = [...COPIED_HASHES, ...COPIED_SETS, ...COPIED_STRINGS, ...COPIED_OTHERWISE].map(
      (key) =>
        key
          .slice(KEY_PREFIX.length + 1)
          .replace(/^records:/, '')
          .split(':')[0]!,
    );
    const decided = new Set([...copied, ...NOT_COPIED]);
    expect(namedKeys().filter((name) => !decided.has(name))).toEqual([]);
  });
});
