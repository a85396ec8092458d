const REF =
  /^(?:weave:\/\/\/[^/\s]+\/[^/\s]+\/(?:(?:object|op)\/[^/:\s]+:[^/\s]+|table\/[^/\s]+|call\/[^/\s]+|agent_(?:turn|conversation|span)\/[^/\s]+)(?:\/[^\s]*)?|wandb-artifact:\/\/\/[^\s]+)$/;

/** Most strings are no refs; the first characters say so more cheaply than the pattern. */
export function isRef(text: string): boolean {
  return text.startsWith('w') && REF.test(text);
}
