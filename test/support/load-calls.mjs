// Request bodies of chat completions of about 3.0 KB (start) and 1.7 KB (end). They are built once, and each request only
// patches ids and times.

const START_BYTES = 3000;
const END_BYTES = 1700;
const MODEL = 'gpt-4o-2024-11-20';
const WORDS =
  `account address after agent allow already apply because before between billing bring cancel careful change check
  choose city clear client complete contract copy customer date deliver detail discount document during email enough
  error every example explain export field find first follow format forward however ice include invoice item keep later
  ledger limit line list march matter message minute month name need never note number offer open order page paid part
  payment people perhaps place please point price problem product quantity quick reason refund regular reply report
  request result return review same second send service several ship simple since sorry start state still stock store
  subject summary support table team thank their ticket today total track travel under until update user value week
  where which within without work write wrong year naïve café Straße 東京 👍 €`.split(/\s+/);

const ID = '@id@@@@@-@@@@-@@@@-@@@@-@@@@@@@@@@@@';
const TRACE = '@trace@@-@@@@-@@@@-@@@@-@@@@@@@@@@@@';
const STARTED = '@started@@@@@@@@@@@@@@@@@@@';
const ENDED = '@ended@@@@@@@@@@@@@@@@@@@@@';

/** The id of the n-th call of a run: a UUID of its start time, as SDKs make it, unique while every run has its own number. */
export const callId = (run, n, startedMs) => `${idTime(startedMs)}${idStem(run, '7')}${hex12(n)}`;

/** The bodies of batches of starts, of ends and of complete calls; each connection of a load has its own. */
export function callBodies({ project, run, perRequest, connection }) {
  const random = randomFrom(connection + 1);
  const texts = Array.from({ length: perRequest }, () => callTexts(project, random));
  return {
    start: new PatchedBody(
      texts.map(({ start }) => start),
      run,
    ),
    end: new PatchedBody(
      texts.map(({ end }) => end),
      run,
    ),
    complete: new PatchedBody(
      texts.map(({ start, end }) => completeItem(start, end)),
      run,
    ),
  };
}

/** A batch whose bytes are reused: patch it only after the response to the previous request has arrived. */
class PatchedBody {
  constructor(items, run) {
    const text = `{"batch":[${items.join(',')}]}`
      .replaceAll(ID, callId(run, 0, 0))
      .replaceAll(TRACE, traceId(run, 0));
    this.bytes = Buffer.from(text);
    this.begins = beginsOf(items);
    this.items = items.map((_, index) => ({
      ids: [],
      traces: [],
      started: [],
      ended: [],
      index,
    }));
    this.#find(callId(run, 0, 0), 'ids');
    this.#find(traceId(run, 0), 'traces');
    this.#find(STARTED, 'started');
    this.#find(ENDED, 'ended');
  }

  /** The batch with the calls `first`, `first + 1`, … that started and ended at these milliseconds. */
  patch(first, startedMs, endedMs) {
    const started = new Date(startedMs).toISOString().slice(0, 23);
    const ended = new Date(endedMs).toISOString().slice(0, 23);
    const time = idTime(startedMs);
    for (const item of this.items) {
      const number = hex12(first + item.index);
      const micros = `${String(item.index % 1000).padStart(3, '0')}Z`;
      for (const at of item.ids) this.bytes.latin1Write(time, at);
      for (const at of [...item.ids, ...item.traces]) this.bytes.latin1Write(number, at + 24);
      for (const at of item.started) this.bytes.latin1Write(started + micros, at);
      for (const at of item.ended) this.bytes.latin1Write(ended + micros, at);
    }
    return this.bytes;
  }

  /** Finds the offsets of a placeholder in each item. */
  #find(token, list) {
    let item = 0;
    for (let at = this.bytes.indexOf(token); at !== -1; at = this.bytes.indexOf(token, at + 1)) {
      while (this.begins[item + 1] <= at) item++;
      this.items[item][list].push(at);
    }
  }
}

/** The offset of each item in the body. Ids and times are as long as their placeholders. */
function beginsOf(items) {
  let at = '{"batch":['.length;
  return items.map((item) => {
    const begin = at;
    at += Buffer.byteLength(item) + 1;
    return begin;
  });
}

/** The call as one item, as SDKs send it when it has ended before they sent its start. */
function completeItem(start, end) {
  return JSON.stringify({ ...JSON.parse(start).req.start, ...JSON.parse(end).req.end });
}

function callTexts(project, random) {
  const start = (words) => startItem(project, random, words);
  const end = (words) => endItem(project, random, words);
  return { start: sized(start, START_BYTES), end: sized(end, END_BYTES) };
}

/** The JSON of the item with enough words to have about this size. */
function sized(item, bytes) {
  const size = Buffer.byteLength(JSON.stringify(item(0)));
  return JSON.stringify(item(Math.max(0, Math.round((bytes - size) / 6.6))));
}

function startItem(project, random, words) {
  const user = (share) => ({ role: 'user', content: prose(random, Math.round(words * share)) });
  return {
    mode: 'start',
    req: {
      start: {
        project_id: project,
        id: ID,
        op_name: `weave:///${project}/op/openai.chat.completions.create:Xk2vNqB0s4PwYd9tR7cLhUe3aZjM5oGfI8bQ1xWnVtC`,
        trace_id: TRACE,
        parent_id: null,
        started_at: STARTED,
        attributes: {
          weave: {
            client_version: '0.52.10',
            source: 'python-sdk',
            sys_version: '3.12.4 (main, Jun  8 2024, 18:29:57) [GCC 11.4.0]',
            os_name: 'Linux',
            os_release: '5.15.0-1064-aws',
          },
          env: 'production',
          customer: `c-${Math.floor(random() * 5000)}`,
        },
        inputs: {
          self: `weave:///${project}/object/Completions:aD4kPq7LmZ0vXw2sRt9yUj3hGf6eBn1cVi8oKxMzQlE`,
          model: MODEL,
          messages: [
            { role: 'system', content: prose(random, Math.round(words * 0.35)) },
            user(0.15),
            { role: 'assistant', content: prose(random, Math.round(words * 0.3)) },
            user(0.2),
          ],
          temperature: 0.2,
          top_p: 1,
          max_tokens: 1024,
          stream: false,
          tools: [{ type: 'function', function: { name: 'find_order', parameters: TOOL } }],
        },
        wb_user_id: null,
        wb_run_id: null,
      },
    },
  };
}

const TOOL = {
  type: 'object',
  properties: {
    order_id: { type: 'string', description: 'The id of the order, as printed on the invoice' },
    include_items: { type: 'boolean', default: false },
  },
  required: ['order_id'],
};

function endItem(project, random, words) {
  const [prompt, completion] = [Math.floor(300 + random() * 400), Math.floor(40 + random() * 200)];
  const tokens = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 128, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
  return {
    mode: 'end',
    req: {
      end: {
        project_id: project,
        id: ID,
        trace_id: TRACE,
        started_at: STARTED,
        ended_at: ENDED,
        output: {
          id: `chatcmpl-${Math.floor(random() * 1e15).toString(36)}`,
          object: 'chat.completion',
          created: 1_772_359_200,
          model: MODEL,
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: prose(random, words), refusal: null },
              finish_reason: 'stop',
              logprobs: null,
            },
          ],
          usage: tokens,
          system_fingerprint: 'fp_8f0a2c61d3',
        },
        summary: {
          usage: { [MODEL]: { requests: 1, ...tokens } },
          status_counts: { success: 1, error: 0 },
        },
        exception: null,
      },
    },
  };
}

function prose(random, words) {
  return Array.from({ length: words }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ');
}

const traceId = (run, n) => `${idTime(0)}${idStem(run, '4')}${hex12(n)}`;

const hex = (number, digits) => number.toString(16).padStart(digits, '0');

function idTime(ms) {
  const digits = hex(ms, 12);
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}

function idStem(run, version) {
  const digits = hex(run % 2 ** 24, 6);
  return `-${version}${digits.slice(0, 3)}-8${digits.slice(3)}-`;
}

/** 48 bits that seem random, as in a real id, and differ for every n below 2^24. */
function hex12(n) {
  const low = Math.imul(n, 0x9e3779b1) & 0xffffff;
  const high = Math.imul(low ^ (low >>> 11), 0x85ebca6b) >>> 8;
  return hex(high, 6) + hex(low, 6);
}

/** A generator of random numbers that repeats with its seed (mulberry32). */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
