// A thread that runs one attack, so that it does not delay the requests of the victim, which the main thread measures.
import { setMaxListeners } from 'node:events';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { setTimeout as sleep } from 'node:timers/promises';
import { attackNamed } from './catalogue.mjs';
import { clientOf } from './http-client.mjs';

/** After a failure to connect; without it the loop would use a whole core. */
const PAUSE_MS = 5;

const { name, url, project, keys } = workerData;
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

// An attacker has a machine of its own. Here its thread must not take the processor from the server and the victim: what slows
// them down is then the work of the server. On Linux 0 is this thread.
setPriority(0, constants.priority.PRIORITY_LOW);

const prepared = await attack.prepare?.(target);
const begin = new Promise((resolve) => parentPort.once('message', resolve));
parentPort.postMessage('prepared');
await begin;
parentPort.once('message', () => stop.abort());
await Promise.all(Array.from({ length: attack.clients }, (_, client) => repeat(client)));
parentPort.postMessage(outcomes);

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
