export const TABS = [
  'overview',
  'dead-letters',
  'keys',
  'audit',
  'maintenance',
  'erasure',
] as const;
export type Tab = (typeof TABS)[number];

/** What the address of the operations keeps: the tab, and what is selected in it. */
export const OPERATIONS_SEARCH = [
  'tab',
  'id',
  'part',
  'state',
  'kind',
  'reason',
  'user',
  'action',
] as const;
