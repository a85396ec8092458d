import { postLines } from './client.js';
import type { CallPreview, Explanation } from './types.js';

export interface Previews {
  readonly calls: readonly CallPreview[];
  /** Undefined unless it was requested. */
  readonly explanation: readonly Explanation[] | undefined;
}

type Line = CallPreview | { readonly explain: readonly Explanation[] };

/** Calls as a list shows them. The server cuts their payloads. */
export async function readPreviews(
  request: object,
  isExplained: boolean,
  signal: AbortSignal,
): Promise<Previews> {
  const calls: CallPreview[] = [];
  let explanation: readonly Explanation[] | undefined;
  const headers: Readonly<Record<string, string>> = isExplained ? { 'x-heddle-explain': '1' } : {};
  for await (const line of postLines<Line>('/calls/preview', request, signal, headers)) {
    if ('explain' in line) explanation = line.explain;
    else calls.push(line);
  }
  return { calls, explanation };
}
