import type { TestServer } from '../support/test-server.js';

const at = (ms: number) => new Date(ms).toISOString();

interface Call {
  readonly id: string;
  readonly op: string;
  readonly trace: string;
  readonly parent?: string;
  readonly startMs: number;
  readonly ms: number;
  readonly inputs?: object;
  readonly output?: unknown;
  readonly exception?: string;
  readonly usage?: object;
}

const itemsOf = (project_id: string, call: Call) => [
  {
    mode: 'start',
    req: {
      start: {
        project_id,
        id: call.id,
        trace_id: call.trace,
        parent_id: call.parent ?? null,
        op_name: `weave:///${project_id}/op/${call.op}:abc`,
        started_at: at(call.startMs),
        attributes: {},
        inputs: call.inputs ?? {},
      },
    },
  },
  {
    mode: 'end',
    req: {
      end: {
        project_id,
        id: call.id,
        ended_at: at(call.startMs + call.ms),
        output: call.output ?? null,
        exception: call.exception ?? null,
        summary: call.usage ? { usage: call.usage } : {},
      },
    },
  },
];

const ITEMS_PER_REQUEST = 2000;

async function write(server: TestServer, project: string, calls: readonly Call[]): Promise<void> {
  const batch = calls.flatMap((call) => itemsOf(project, call));
  for (let from = 0; from < batch.length; from += ITEMS_PER_REQUEST) {
    await server.post('/call/upsert_batch', {
      batch: batch.slice(from, from + ITEMS_PER_REQUEST),
    });
  }
}

/** Some traces of an agent that calls a model and a tool. One of them fails in the tool. */
export async function seedTraces(server: TestServer, project: string): Promise<void> {
  const now = Date.now();
  const usage = { 'gpt-4o': { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500 } };
  const calls = Array.from({ length: 60 }, (_, n): Call[] => {
    const [trace, root, startMs] = [`trace-${n}`, `root-${n}`, now - n * 60_000 - 5_000];
    const isBad = n === 7;
    return [
      {
        id: root,
        op: n % 2 === 0 ? 'agent.run' : 'classify',
        trace,
        startMs,
        ms: 1000 + n * 100,
        inputs: { text: `trip ${n}`, customer: `c${n % 5}`, exact: 'EXACT' },
        output: { said: `<script>alert(1)</script> trip ${n}` },
        usage,
      },
      {
        id: `${root}-chat`,
        op: 'openai.chat.completions.create',
        trace,
        parent: root,
        startMs: startMs + 10,
        ms: 500,
        inputs: {
          model: 'gpt-4o',
          messages: [{ role: 'user', content: `Where to go on trip ${n}?` }],
        },
        output: { choices: [{ message: { role: 'assistant', content: 'To Lisbon.' } }] },
        usage,
      },
      {
        id: `${root}-tool`,
        op: 'search',
        trace,
        parent: root,
        startMs: startMs + 520,
        ms: 300,
        ...(isBad && { exception: 'Traceback\n  File "a.py"\nTimeout: no response within 5 s' }),
      },
    ];
  });
  await write(server, project, calls.flat());
}

/** One trace with a root, groups of a hundred calls below it, and an error in the last group. */
export async function seedLargeTrace(
  server: TestServer,
  project: string,
  count: number,
): Promise<void> {
  const startMs = Date.now() - 3_600_000;
  const calls = Array.from({ length: count }, (_, n): Call => {
    const isGroup = n % 100 === 1;
    const group = n - ((n - 1) % 100);
    return {
      id: `large-${n}`,
      op: n === 0 ? 'workflow' : isGroup ? 'step' : 'call',
      trace: 'large',
      ...(n === 0 ? {} : { parent: isGroup ? 'large-0' : `large-${group}` }),
      startMs: startMs + n,
      ms: n === 0 ? count : 5,
      ...(n === count - 1 && { exception: 'the last call failed' }),
    };
  });
  await write(server, project, calls);
}
