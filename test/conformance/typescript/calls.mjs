// Tracing: inputs, outputs and errors of ops are read back unchanged.
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import * as weave from 'weave';
import { callsOf, run, scenario } from './scenario.mjs';

scenario('traces nested async ops as a tree with inputs, outputs and parents', async (client) => {
  const inner = weave.op(async function inner(x) {
    return x * 2;
  });
  const outer = weave.op(async function outer(x) {
    return { sum: (await inner(x)) + (await inner(x + 1)) };
  });

  const [response, call] = await outer.invoke(3);
  const calls = await callsOf(client);

  deepEqual(response, { sum: 14 });
  const root = await client.getCall(call.id);
  deepEqual([root.inputs, root.output, root.parent_id], [{ arg0: 3 }, { sum: 14 }, null]);
  const children = calls.filter(({ parent_id }) => parent_id === root.id);
  deepEqual(
    children.map(({ inputs, output }) => [inputs, output]),
    [
      [{ arg0: 3 }, 6],
      [{ arg0: 4 }, 8],
    ],
  );
  ok(calls.every(({ trace_id }) => trace_id === root.trace_id));
  ok(children.every(({ op_name }) => op_name.includes('/op/inner:')));
  equal(root.summary.weave.status, 'success');
});

scenario('separates the calls of concurrent ops', async (client) => {
  const part = weave.op(async function part(n) {
    await new Promise((resolve) => setTimeout(resolve, 5 - n));
    return n;
  });
  const whole = weave.op(async function whole(from) {
    return Promise.all([part(from), part(from + 1)]);
  });

  await Promise.all([whole(0), whole(2)]);
  const calls = await callsOf(client);
  const roots = calls.filter(({ parent_id }) => !parent_id);
  equal(roots.length, 2);
  for (const root of roots) {
    const parts = calls.filter(({ parent_id }) => parent_id === root.id);
    deepEqual(parts.map(({ output }) => output).sort(), root.output);
  }
});

scenario('joins the chunks of a stream with the reducer of its op', async (client) => {
  const stream = weave.op(
    async function* stream() {
      yield 'Hel';
      yield 'lo';
    },
    {
      streamReducer: {
        initialStateFn: () => '',
        reduceFn: (state, piece) => state + piece,
        finalizeFn: () => undefined,
      },
    },
  );

  let heard = '';
  for await (const piece of await stream()) heard += piece;
  const [call] = await callsOf(client);
  deepEqual([heard, call.output], ['Hello', 'Hello']);
});

scenario('stores an exception and throws it to the caller', async (client) => {
  const fails = weave.op(async function fails() {
    throw new Error('no such luck');
  });

  await rejects(() => fails(), /no such luck/);
  const [call] = await callsOf(client);
  ok(call.exception.includes('no such luck'));
  equal(call.summary.weave.status, 'error');
  ok(call.ended_at);
});

scenario('stores attributes, display names and usage', async (client) => {
  const named = weave.op(
    async function named(n) {
      return { usage: { prompt_tokens: n, completion_tokens: 2, total_tokens: n + 2 } };
    },
    {
      callDisplayName: (n) => `number ${n}`,
      summarize: (result) => ({ usage: { 'a-model': { requests: 1, ...result.usage } } }),
    },
  );
  const parent = weave.op(async function parent() {
    await named(1);
    return named(2);
  });

  await weave.withAttributes({ env: 'test', nested: { deep: 1 } }, () => parent());
  const calls = await callsOf(client);
  deepEqual(
    calls.filter(({ parent_id }) => parent_id).map(({ display_name }) => display_name),
    ['number 1', 'number 2'],
  );
  ok(calls.every(({ attributes }) => attributes.env === 'test' && attributes.nested.deep === 1));
  const [root] = calls.filter(({ parent_id }) => !parent_id);
  deepEqual(root.summary.usage['a-model'].prompt_tokens, 3);
});

scenario('traces the methods of an object with the object as an input', async (client) => {
  class Greeter extends weave.WeaveObject {
    constructor(greeting) {
      super({ name: 'greeter' });
      this.greeting = greeting;
      this.greet = weave.op(this, this.greet);
    }

    async greet(name) {
      return `${this.greeting}, ${name}`;
    }
  }

  equal(await new Greeter('Hello').greet('Ada'), 'Hello, Ada');
  const [call] = await callsOf(client);
  equal(call.output, 'Hello, Ada');
  ok(call.inputs.self.includes('/object/'), call.inputs.self);
});

scenario('returns text and nesting exactly', async (client) => {
  const value = {
    text: 'Grüße, 世界 😀 \u2028 "quoted" \\ / \x7f',
    deep: [[[{ a: null }]], [], {}],
    number: 0.1,
    '': 'an empty key',
    'a.b': 'a dot',
  };
  const echo = weave.op(async function echo(given) {
    return given;
  });

  await echo(value);
  const [call] = await callsOf(client);
  deepEqual(call.inputs, { arg0: value });
  deepEqual(call.output, value);
});

scenario('reads calls by filter and limit, and streams them', async (client) => {
  const count = weave.op(async function count(n) {
    return n;
  });
  for (const n of [0, 1, 2, 3]) await count(n);

  const calls = await callsOf(client);
  deepEqual(
    calls.map(({ output }) => output),
    [0, 1, 2, 3],
  );
  const ids = calls.slice(1, 3).map(({ id }) => id);
  equal((await client.getCalls({ call_ids: ids })).length, 2);
  equal((await client.getCalls({}, false, 3)).length, 3);
  equal((await client.getCalls({ op_names: ['weave:///acme/other/op/x:*'] })).length, 0);
  equal((await client.getCalls({ op_names: [calls[0].op_name] })).length, 4);
  const streamed = [];
  for await (const call of client.getCallsIterator({ trace_ids: [calls[0].trace_id] })) {
    streamed.push(call.id);
  }
  deepEqual(streamed, [calls[0].id]);
});

scenario('renames a call that has ended', async (client) => {
  const named = weave.op(async function named() {
    return 1;
  });
  const [, call] = await named.invoke();
  await client.waitForBatchProcessing();
  await call.setDisplayName('a better name');
  equal((await client.getCall(call.id)).display_name, 'a better name');
});

await run();
