import { micros, printTimestamp } from '@app/wire';
import type { TestServer } from '../support/test-server.js';
import type { SentCall } from './oracle-call.js';

/** A server to write to, and a function that counts the visible calls of a project. */
export interface Writable {
  readonly server: TestServer;
  readonly count: (project_id: string) => Promise<number>;
}

/**
 * Sends payloads as text, because JSON.stringify would change them. Calls are written in several steps, so that there
 * are older rows without an end, with another name, and of deleted calls.
 */
export async function send(
  to: Writable,
  project_id: string,
  calls: readonly SentCall[],
): Promise<void> {
  const { server } = to;
  const deleted = calls.slice(0, 8).map((call) => ({ ...call, id: `${call.id}-deleted` }));
  const unnamed = calls.map((call, i) => (isRenamed(i) ? { ...call, display_name: 'old' } : call));
  for (const user of new Set(calls.map(({ wb_user_id }) => wb_user_id))) {
    const request = { user, scope: project_id, role: 'write' };
    const { key } = await server.post('/admin/keys/create', request);
    const own = [...unnamed, ...deleted].filter(({ wb_user_id }) => wb_user_id === user);
    await upsert(server, own.map(startOf), key);
  }
  await sendFeedback(server, project_id, calls);
  await visible(to, project_id, calls.length + deleted.length);
  await upsert(server, [...calls, ...deleted].flatMap(endOf), server.key);
  await server.post('/calls/delete', { project_id, call_ids: deleted.map(({ id }) => id) });
  for (const { id, display_name } of calls.filter((_, i) => isRenamed(i)))
    await server.post('/call/update', {
      project_id,
      call_id: id,
      display_name: display_name ?? '',
    });
  await visible(to, project_id, calls.length);
}

/** Every twelfth call gets its name later. */
const isRenamed = (i: number) => i % 12 === 0;

async function upsert(server: TestServer, items: readonly string[], key: string): Promise<void> {
  const body = `{"batch":[${items.join(',')}]}`;
  await accepted(server.send('/call/upsert_batch', body, { key }));
}

async function accepted(sent: ReturnType<TestServer['send']>): Promise<void> {
  const { status, text } = await sent;
  if (status !== 200) throw new Error(`${status}: ${text}`);
}

function startOf(call: SentCall): string {
  const { project_id, id, trace_id, parent_id, thread_id, turn_id, op_name, display_name } = call;
  const { wb_run_id, wb_run_step, attributes, inputs, otel_dump } = call;
  const started_at = printTimestamp(micros(call.started_at));
  const ids = { project_id, id, trace_id, parent_id, thread_id, turn_id, wb_run_id, wb_run_step };
  const head = JSON.stringify({ ...ids, op_name, display_name, started_at });
  return `{"mode":"start","req":{"start":${head.slice(0, -1)},"attributes":${attributes},"inputs":${inputs},"otel_dump":${otel_dump}}}}`;
}

function endOf({ ended_at, output, summary, ...call }: SentCall): string[] {
  if (ended_at === null) return [];
  const { project_id, id, exception, wb_run_step_end } = call;
  const plain = {
    project_id,
    id,
    exception,
    wb_run_step_end,
    ended_at: printTimestamp(micros(ended_at)),
  };
  return [
    `{"mode":"end","req":{"end":${JSON.stringify(plain).slice(0, -1)},"output":${output ?? 'null'},"summary":${summary ?? '{}'}}}}`,
  ];
}

/** Sends the feedback of a call one after the other, because their times decide which is the newest. */
async function sendFeedback(
  server: TestServer,
  project_id: string,
  calls: readonly SentCall[],
): Promise<void> {
  const most = Math.max(...calls.map(({ feedback }) => feedback.length));
  for (let nth = 0; nth < most; nth++) {
    const records = calls.flatMap(({ id, feedback }) => {
      const given = feedback[nth];
      if (given === undefined) return [];
      const { type, payload, ...refs } = given;
      const weave_ref = `weave:///${project_id}/call/${id}`;
      const head = JSON.stringify({ project_id, weave_ref, feedback_type: type, ...refs });
      return [`${head.slice(0, -1)},"payload":${payload}}`];
    });
    await accepted(server.send('/feedback/batch/create', `{"batch":[${records.join(',')}]}`));
  }
}

async function visible({ count }: Writable, project_id: string, calls: number): Promise<void> {
  while ((await count(project_id)) !== calls) continue;
}
