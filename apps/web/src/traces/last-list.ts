import type { TracesSearch } from './traces-search.js';

/** Where the list was left, so that going back from a trace shows the same rows. In memory only. */
const searches = new Map<string, TracesSearch>();
const offsets = new Map<string, number>();
const OFFSETS_MAX = 100;

export const lastSearch = (projectId: string): TracesSearch => searches.get(projectId) ?? {};

export function rememberSearch(projectId: string, search: TracesSearch): void {
  searches.set(projectId, search);
}

const keyOf = (projectId: string, search: TracesSearch) => `${projectId} ${JSON.stringify(search)}`;

export const lastOffset = (projectId: string, search: TracesSearch): number =>
  offsets.get(keyOf(projectId, search)) ?? 0;

export function rememberOffset(projectId: string, search: TracesSearch, offset: number): void {
  if (offsets.size >= OFFSETS_MAX) offsets.clear();
  offsets.set(keyOf(projectId, search), offset);
}
