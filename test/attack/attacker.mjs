// A process that runs one attack, so that it does not delay the requests of the victim, which the process that starts it measures.
import { setMaxListeners } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { attackNamed } from './catalogue.mjs';
import { clientOf } from './http-client.mjs';

/** After a failure to connect; without it the loop would use a whole core. */
const PAUSE_MS = 5;

const { name, url, project, keys } = JSON.parse(process.argv[2]);
const attack = attackNamed(name);
const stop = new AbortController();
// Every request of every client listens to it.
setMaxListeners(0, stop.signal);
const target = {
  url,
  port: Number(new URL(url).port),
  project,
  key: keys.attacker,
  keys: keys.more,
  send: clientOf(url, keys.attacker, stop.signal),
  owner: { send: clientOf(url, keys.owner) },
  signal: stop.signal,
};
const outcomes = {};

process.once('disconnect', () => process.exit());
takeWhatIsLeft();
const prepared = await attack.prepare?.(target);
const begin = new Promise((resolve) => process.once('message', resolve));
process.send('prepared');
await begin;
process.once('message', () => stop.abort());
await Promise.all(Array.from({ length: attack.clients }, (_, client) => repeat(client)));
process.send(outcomes);

/**
 * An attacker has a machine of its own. Here it must not take the processors from the server and the victim: what slows them down is
 * then the work of the server.
 */
function takeWhatIsLeft() {
  setPriority(constants.priority.PRIORITY_LOW);
  // Where Linux groups processes by session, the priority of the session counts.
  const session = '/proc/self/autogroup';
  if (existsSync(session)) writeFileSync(session, String(constants.priority.PRIORITY_LOW));
}

async function repeat(client) {
  while (!stop.signal.aborted) {
    const outcome = await attack.attack({ ...target, client, prepared }).then(labelOf, labelOf);
    if (stop.signal.aborted) return;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    await sleep(PAUSE_MS);
  }
}

/** A bounded set of labels: the status of a response, or the code of an error. */
function labelOf(outcome) {
  if (outcome instanceof Error) return outcome.code ?? outcome.name;
  return String(outcome?.status ?? outcome);
}
