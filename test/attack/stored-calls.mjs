import { randomUUID } from 'node:crypto';

/** Stores calls in the project of an attack, with `inputs(i)` each, in requests of `perBatch`. */
export async function storeCalls({ owner, project }, count, inputs, perBatch = 100) {
  for (let from = 0; from < count; from += perBatch) {
    const batch = Array.from({ length: Math.min(perBatch, count - from) }, (_, i) => ({
      mode: 'start',
      req: {
        start: {
          ...{ project_id: project, id: randomUUID(), trace_id: randomUUID(), op_name: 'attack' },
          ...{ started_at: new Date().toISOString(), attributes: {}, inputs: inputs(from + i) },
        },
      },
    }));
    await accepted(owner.send('/call/upsert_batch', { batch }));
  }
  // A read waits for the caller's own writes, so all calls are stored after it.
  await accepted(owner.send('/calls/query_stats', { project_id: project }));
}

/** Stores an object of 8 MB, and resolves with its ref. */
export async function storeLargeObject({ owner, project }) {
  const obj = { project_id: project, object_id: 'large', val: { text: 'x'.repeat(8 * 1024 ** 2) } };
  const { digest } = JSON.parse(await accepted(owner.send('/obj/create', { obj })));
  return `weave:///${project}/object/large:${digest}`;
}

async function accepted(response) {
  const { status, text } = await response;
  if (status !== 200) throw new Error(`The attack could not be prepared: ${status} ${text}`);
  return text;
}
