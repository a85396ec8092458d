const REF =
  /^(?:weave:\/\/\/[^/\s]+\/[^/\s]+\/(?:(?:object|op)\/[^/:\s]+:[^/\s]+|table\/[^/\s]+|call\/[^/\s]+|agent_(?:turn|conversation|span)\/[^/\s]+)(?:\/[^\s]*)?|wandb-artifact:\/\/\/[^\s]+)$/;

/** Most strings are no refs; the first characters say so more cheaply than the pattern. */
export function isRef(text: string): boolean {
  return text.startsWith('w') && REF.test(text);
}

/** Every ref that is a whole string somewhere in the value. */
export function refsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'string') {
    if (isRef(value)) found.add(value);
  } else if (value !== null && typeof value === 'object') {
    for (const part of Object.values(value)) refsIn(part, found);
  }
  return found;
}
