/** A key as Heddle makes them. */
const MADE = /hdl_[\w-]{43}/g;

/** The keys that stand in a log, as they are or as a client sends them; none may. */
export function secretsIn(log, known = []) {
  const sent = known.flatMap((key) => [key, btoa(`api:${key}`)]);
  const made = [...log.matchAll(MADE)].map(([key]) => key);
  return [...new Set([...made, ...sent.filter((text) => log.includes(text))])];
}

/** Throws when there are any, with the lines they stand in. */
export function refuseSecrets(log, known, whose) {
  const found = secretsIn(log, known);
  if (found.length === 0) return;
  const lines = log.split('\n').filter((line) => found.some((one) => line.includes(one)));
  throw new Error(`The log of ${whose} holds an API key:\n${lines.slice(0, 5).join('\n')}`);
}
