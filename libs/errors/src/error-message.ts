/** What an error says. A connection attempt to several addresses fails with one error per address. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join(', ');
  return error instanceof Error ? error.message.trim() : String(error);
}
