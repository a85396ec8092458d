// Runs the scenarios of a file one after the other, each on a new project. Every outcome is one line of JSON on stdout,
// which the test reads. The test ignores everything else that the client prints.
import { randomUUID } from 'node:crypto';
import * as weave from 'weave';

const scenarios = [];

/** Registers a function that takes a client and asserts what it reads back. */
export function scenario(sentence, act) {
  scenarios.push({ sentence, act });
}

export const aProject = () => `acme/ts-${randomUUID().slice(0, 8)}`;

export async function run() {
  for (const { sentence, act } of scenarios) {
    const started = Date.now();
    const error = await outcome(act);
    const seconds = (Date.now() - started) / 1000;
    console.log(JSON.stringify({ scenario: sentence, ok: error === '', error, seconds }));
  }
}

async function outcome(act) {
  try {
    await act(await weave.init(aProject()));
    return '';
  } catch (error) {
    return error instanceof Error ? String(error.stack) : JSON.stringify(error);
  }
}

/** The calls of a project, oldest first, after everything was sent. */
export async function callsOf(client, filter = {}) {
  await client.waitForBatchProcessing();
  return client.getCalls(filter);
}
