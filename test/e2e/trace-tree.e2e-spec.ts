import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { aProject, sharedServer } from '../support/test-server.js';
import {
  anEnd,
  anIdMadeAt,
  aSpan,
  aStart,
  endItem,
  spanAttributes,
  startItem,
} from '../support/records.js';

const server = sharedServer();
const BEGIN = Date.UTC(2026, 2, 1, 10);
const at = (ms: number) => new Date(BEGIN + ms).toISOString();

interface Block {
  readonly [column: string]: readonly (string | number | null)[];
}

async function treeOf(project_id: string, trace_id: string) {
  const { status, text } = await server.send('/trace/tree', { project_id, trace_id });
  expect(status).toBe(200);
  const [head, ...blocks] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head, blocks: blocks as Block[] };
}

const usage = (tokens: number) => ({
  usage: {
    'tree-model': {
      requests: 1,
      prompt_tokens: tokens,
      completion_tokens: 0,
      total_tokens: tokens,
    },
  },
});

describe('the tree of a trace', () => {
  it('has the calls in depth-first order with all columns', async () => {
    const project_id = aProject();
    const trace_id = randomUUID();
    const costs = { 'tree-model': { prompt_token_cost: 0.000001, completion_token_cost: 0 } };
    await server.post('/cost/create', { project_id, costs });
    const call = (id: string, parent_id: string | null, ms: number, fields = {}) =>
      startItem({
        project_id,
        trace_id,
        id,
        parent_id,
        started_at: at(ms),
        op_name: `op-${id}`,
        ...fields,
      });
    const batch = [
      call('root', null, 0, { display_name: 'The root' }),
      call('b', 'root', 20),
      call('a', 'root', 10),
      call('a1', 'a', 15, { op_name: 'op-b' }),
      endItem({ project_id, id: 'root', ended_at: at(100), summary: usage(7) }),
      endItem({ project_id, id: 'a', ended_at: at(30), exception: 'no', summary: usage(5) }),
    ];
    await server.post('/call/upsert_batch', { batch });
    await server.post('/feedback/create', {
      project_id,
      weave_ref: `weave:///${project_id}/call/b`,
      feedback_type: 'wandb.note.1',
      payload: { note: 'n' },
    });

    const { head, blocks } = await treeOf(project_id, trace_id);

    expect(head).toEqual({
      trace_id,
      count: 4,
      has_more: false,
      started_at: '2026-03-01T10:00:00.000000Z',
      ops: ['op-root', 'op-a', 'op-b'],
      names: ['The root'],
      statuses: ['running', 'success', 'error', 'descendant_error'],
    });
    expect(blocks).toEqual([
      {
        id: ['root', 'a', 'a1', 'b'],
        parent: [-1, 0, 1, 0],
        op: [0, 1, 2, 2],
        name: [0, -1, -1, -1],
        status: [1, 2, 0, 0],
        start: [0, 10_000, 15_000, 20_000],
        duration: [100_000, 20_000, -1, -1],
        tokens: [7, 5, 0, 0],
        feedback: [0, 0, 0, 1],
        cost: [0.000007, 0.000005, null, null],
      },
    ]);
  });

  it('includes the descendants of a span in its tokens and cost, as trace/usage does', async () => {
    const project_id = aProject();
    const root = aSpan();
    const attributes = spanAttributes({
      'gen_ai.request.model': 'gpt-4o',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 10,
    });
    const child = () => aSpan({ traceId: root.traceId, parentSpanId: root.spanId, attributes });
    const resourceSpans = [{ scopeSpans: [{ spans: [root, child(), child()] }] }];
    await server.send('/otel/v1/traces', { resourceSpans }, { headers: { project_id } });
    const { calls } = await server.post('/calls/query', { project_id });
    const trace_id = calls[0].trace_id as string;

    const { blocks } = await treeOf(project_id, trace_id);
    const { call_usage } = await server.post('/trace/usage', {
      project_id,
      filter: { trace_ids: [trace_id] },
      include_costs: true,
    });

    const [id] = blocks[0]!['id'] as string[];
    const expected = Object.values(call_usage[id!])[0] as Record<string, number>;
    expect(blocks[0]!['parent']).toEqual([-1, 0, 0]);
    expect(blocks[0]!['tokens']?.[0]).toBe(expected['total_tokens']);
    expect(blocks[0]!['tokens']?.[0]).toBe(2020);
    expect(blocks[0]!['cost']?.[0]).toBeCloseTo(
      expected['prompt_tokens_total_cost']! + expected['completion_tokens_total_cost']!,
      12,
    );
  });

  it('of an unknown trace has no calls, and none of another project', async () => {
    const [mine, other] = [aProject(), aProject()];
    const start = aStart({ project_id: other });
    await server.post('/call/start', { start });

    const { head, blocks } = await treeOf(mine, start.trace_id);

    expect(head).toMatchObject({ count: 0, started_at: null, ops: [] });
    expect(blocks).toEqual([]);
  });

  it('needs at most 30 bytes a call when it is compressed', async () => {
    const project_id = aProject();
    const trace_id = randomUUID();
    const count = 3000;
    const ids: string[] = [];
    const items = Array.from({ length: count }, (_, i) => {
      const started_at = at(i * 3 + Math.floor(Math.random() * 3));
      const id = anIdMadeAt(started_at);
      const parent_id =
        i === 0 ? null : ids[Math.floor(Math.random() * Math.min(i, 50)) + Math.max(0, i - 50)]!;
      ids.push(id);
      const ended_at = at(i * 3 + 5 + Math.floor(Math.random() * 900));
      const summary = i % 5 === 0 ? usage(Math.floor(Math.random() * 3000)) : {};
      return [
        startItem({ project_id, trace_id, id, parent_id, started_at, op_name: `op-${i % 12}` }),
        { mode: 'end', req: { end: anEnd({ project_id, id, ended_at, summary }) } },
      ];
    });
    for (let from = 0; from < count; from += 500) {
      await server.post('/call/upsert_batch', { batch: items.slice(from, from + 500).flat() });
    }

    const bytes = await compressedTree(project_id, trace_id);

    const [head, ...blocks] = gunzipSync(bytes).toString().trimEnd().split('\n');
    expect(JSON.parse(head!)).toMatchObject({ count, has_more: false });
    expect(blocks).toHaveLength(2);
    process.stdout.write(`a call of a tree has ${(bytes.length / count).toFixed(1)} bytes\n`);
    expect(bytes.length / count).toBeLessThanOrEqual(30);
  });
});

/** The bytes as they were sent: fetch would decompress them. */
async function compressedTree(project_id: string, trace_id: string): Promise<Buffer> {
  const request = http.request(`${server.url}/trace/tree`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'accept-encoding': 'gzip' },
  });
  request.end(JSON.stringify({ project_id, trace_id }));
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  expect(response.headers['content-encoding']).toBe('gzip');
  return buffer(response);
}
