/** The form of the keys that Heddle makes. */
const MADE = /hdl_[\w-]{43}/g;

/** The keys that a log contains, in plain text or as a client sends them. A log must contain none. */
export function secretsIn(log, known = []) {
  const sent = known.flatMap((key) => [key, btoa(`api:${key}`)]);
  const made = [...log.matchAll(MADE)].map(([key]) => key);
  return [...new Set([...made, ...sent.filter((text) => log.includes(text))])];
}

/** Throws an error with the lines that contain a key, if there are any. */
export function refuseSecrets(log, known, whose) {
  const found = secretsIn(log, known);
  if (found.length === 0) return;
  const lines = log.split('\n').filter((line) => found.some((one) => line.includes(one)));
  throw new Error(`The log of ${whose} contains an API key:\n${lines.slice(0, 5).join('\n')}`);
}
