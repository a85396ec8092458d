/** The search of an address as plain text: every value is a string, and an empty one is left out. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function printSearch(search: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(search).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '',
  );
  if (entries.length === 0) return '';
  const text = new URLSearchParams(entries).toString();
  // These are legal in a query string and make a filter readable in the address bar.
  return `?${text.replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%2F/g, '/').replace(/%24/g, '$').replace(/%7E/g, '~')}`;
}

/** Keeps the named members that are texts. */
export function picked<K extends string>(
  search: Readonly<Record<string, unknown>>,
  names: readonly K[],
): { [P in K]?: string } {
  const result: { [P in K]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'string' && value !== '') result[name] = value;
  }
  return result;
}
