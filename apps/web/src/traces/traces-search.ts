/** The state of the list of traces. All of it is in the address. */
export const TRACES_SEARCH = [
  'q',
  'from',
  'to',
  'last',
  'sort',
  'cols',
  'calls',
  'live',
  'view',
  'facets',
] as const;

export type TracesSearch = { readonly [P in (typeof TRACES_SEARCH)[number]]?: string };
export type SearchChange = { readonly [P in keyof TracesSearch]?: string | undefined };
