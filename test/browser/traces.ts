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
  readonly attributes?: object;
  readonly output?: unknown;
  readonly exception?: string;
  readonly usage?: object;
  /** Of the op; `abc` when absent. */
  readonly digest?: string;
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
        op_name: `weave:///${project_id}/op/${call.op}:${call.digest ?? 'abc'}`,
        started_at: at(call.startMs),
        attributes: call.attributes ?? {},
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

export async function write(
  server: TestServer,
  project: string,
  calls: readonly Call[],
): Promise<void> {
  const batch = calls.flatMap((call) => itemsOf(project, call));
  for (let from = 0; from < batch.length; from += ITEMS_PER_REQUEST) {
    await server.post('/call/upsert_batch', {
      batch: batch.slice(from, from + ITEMS_PER_REQUEST),
    });
  }
}

/** One finished trace for each op, in this order. */
export async function sendCalls(
  server: TestServer,
  project: string,
  ops: readonly string[],
): Promise<void> {
  const startMs = Date.now() - 1_000;
  const calls = ops.map((op, n): Call => {
    const id = `${op}-${startMs}`;
    return { id, op, trace: id, startMs: startMs + n, ms: 10 };
  });
  await write(server, project, calls);
}

/** A trace that runs. The result ends it. */
export async function startCall(
  server: TestServer,
  project: string,
  op: string,
): Promise<() => Promise<unknown>> {
  const [start, end] = itemsOf(project, { id: op, op, trace: op, startMs: Date.now(), ms: 5_000 });
  await server.post('/call/upsert_batch', { batch: [start] });
  return () => server.post('/call/upsert_batch', { batch: [end] });
}

export const CODE = 'def agent(text):\n    return plan(text)\n';
/** One pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function storeFile(
  server: TestServer,
  project_id: string,
  name: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const form = new FormData();
  form.append('project_id', project_id);
  form.append('file', new Blob([content]), name);
  const response = await fetch(`${server.url}/file/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}` },
    body: form,
  });
  return ((await response.json()) as { digest: string }).digest;
}

/** A tone of a quarter of a second. */
function wav(): Buffer<ArrayBuffer> {
  const [rate, count] = [8000, 2000];
  const bytes = Buffer.alloc(44 + count, 128);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + count, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate, 28);
  bytes.writeUInt16LE(1, 32);
  bytes.writeUInt16LE(8, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(count, 40);
  for (let n = 0; n < count; n++) bytes[44 + n] = 128 + Math.round(100 * Math.sin(n / 3));
  return bytes;
}

export const DOCUMENT = '%PDF-1.4 not shown, only saved';

/** A call with sounds, an image and a document: as the SDKs store them, and within the payload. */
export async function seedMedia(server: TestServer, project: string): Promise<void> {
  const store = (name: string, content: Uint8Array<ArrayBuffer> | string) =>
    storeFile(
      server,
      project,
      name,
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    );
  const value = (type: string, files: object) => ({
    _type: 'CustomWeaveType',
    weave_type: { type },
    files,
  });
  /** `weave.Content`, whose type is in a second file. */
  const contentOf = async (filename: string, mimetype: string, content: string | Buffer) => {
    const bytes = typeof content === 'string' ? content : new Uint8Array(content);
    return value('weave.type_wrappers.Content.content.Content', {
      content: await store('content', bytes),
      'metadata.json': await store('metadata.json', JSON.stringify({ filename, mimetype })),
    });
  };
  const sound = value('weave.type_handlers.Audio.audio.Audio', {
    '_metadata.json': await store('_metadata.json', '{}'),
    'audio.wav': await store('audio.wav', new Uint8Array(wav())),
  });
  const image = await contentOf('photo', 'image/png', Buffer.from(PNG, 'base64'));
  const spoken = { data: wav().toString('base64'), format: 'wav' };
  await write(server, project, [
    {
      id: 'media',
      op: 'listen',
      trace: 'media',
      startMs: Date.now() - 60_000,
      ms: 900,
      inputs: {
        sound,
        embedded: `data:audio/wav;base64,${spoken.data}`,
        document: await contentOf('report.pdf', 'application/pdf', DOCUMENT),
        page: await contentOf('page.html', 'text/html', '<script>alert(1)</script>'),
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is said here?' },
              { type: 'input_audio', input_audio: spoken },
              { type: 'image_url', image_url: { url: image } },
            ],
          },
        ],
      },
      output: 'A tone.',
    },
  ]);
}

/** A call with the code of its op, an image beside it, markdown, and a spec for annotations. */
export async function seedRichCall(server: TestServer, project: string): Promise<void> {
  const code = await storeFile(server, project, 'obj.py', new TextEncoder().encode(CODE));
  const image = await storeFile(server, project, 'image.png', Buffer.from(PNG, 'base64'));
  const type = (name: string) => ({ _type: 'CustomWeaveType', weave_type: { type: name } });
  const { digest } = await server.post('/obj/create', {
    obj: {
      project_id: project,
      object_id: 'agent',
      val: { ...type('Op'), files: { 'obj.py': code } },
    },
  });
  await server.post('/obj/create', {
    obj: {
      project_id: project,
      object_id: 'quality',
      builtin_object_class: 'AnnotationSpec',
      val: { name: 'Quality', field_schema: { type: 'integer', minimum: 1, maximum: 5 } },
    },
  });
  const startMs = Date.now() - 60_000;
  await write(server, project, [
    {
      id: 'rich',
      op: 'agent',
      digest,
      trace: 'rich',
      startMs,
      ms: 900,
      inputs: {
        image: { ...type('PIL.Image.Image'), files: { 'image.png': image } },
        messages: [{ role: 'user', content: 'Make a **table**, please.' }],
      },
      output: {
        role: 'assistant',
        content:
          '# Trips\n\n- Lisbon\n- [Porto](https://example.com/porto)\n\n' +
          '<img src=x onerror=alert(1)> [bad](javascript:alert(1))',
      },
    },
  ]);
}

export const LONG_NUMBER = '1234567890123456789012345678901234567890';

/** A payload may have 200 levels; this value is inside another one. */
const DEEP = 199;

/** A call whose output is a list of this many megabytes, with a long number, an image and 200 levels at its end. */
export async function seedLargePayload(
  server: TestServer,
  project_id: string,
  megabytes: number,
): Promise<void> {
  const item = { text: 'lorem ipsum dolor sit amet '.repeat(18), n: 1 };
  const one = JSON.stringify(item);
  const count = Math.ceil((megabytes * 1_000_000) / one.length);
  const list = Array<string>(count).fill(one).join(',');
  const deep = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;
  const output = `{"exact":${LONG_NUMBER},"image":"data:image/png;base64,${PNG}","deep":${deep},"items":[${list},"the very last"],"html":"<script>alert(1)</script><img src=x onerror=alert(1)>"}`;
  const [start, end] = itemsOf(project_id, {
    id: 'large-payload',
    op: 'dump',
    trace: 'large-payload',
    startMs: Date.now() - 60_000,
    ms: 1000,
    output: 'OUTPUT',
  });
  const body = JSON.stringify({ batch: [start, end] }).replace('"OUTPUT"', output);
  const { status, text } = await server.send('/call/upsert_batch', body);
  if (status !== 200) throw new Error(text);
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
