import type { PayloadPath } from '@app/contracts';

const PATHS_MAX = 1000;

/** The paths of scalars in payloads, and what stands there; `categorical` where it is not always the same. */
export function payloadPaths(payloads: readonly string[]): PayloadPath[] {
  const types = new Map<string, string>();
  for (const payload of payloads) note(types, '', JSON.parse(payload) as unknown);
  return [...types]
    .map(([json_path, value_type]) => ({ json_path, value_type }))
    .sort((a, b) => (a.json_path < b.json_path ? -1 : 1));
}

function note(types: Map<string, string>, path: string, value: unknown): void {
  if (value === null || Array.isArray(value)) return;
  if (typeof value === 'object') {
    for (const [key, inner] of Object.entries(value)) {
      const name = key.replace(/[.\\]/g, '\\$&');
      note(types, path === '' ? name : `${path}.${name}`, inner);
    }
    return;
  }
  const type = typeOf(value);
  const known = types.get(path);
  if (known === undefined && types.size >= PATHS_MAX) return;
  types.set(path, known === undefined || known === type ? type : 'categorical');
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return 'numeric';
  return typeof value === 'boolean' ? 'boolean' : 'categorical';
}
