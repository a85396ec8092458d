import { addLeaves, noLeaves } from './call-leaves.js';
import { refsIn } from './call-refs.js';
import { usageIn } from './call-usage.js';

describe('refs', () => {
  const isRef = (text: string) => refsIn(text).has(text);

  it.each([
    'weave:///acme/demo/object/cfg:abc',
    'weave:///acme/demo/op/run:v1/atr/x/key/y',
    'weave:///acme/demo/table/abc123',
    'weave:///acme/demo/call/0198',
    'weave:///acme/demo/agent_turn/t1',
    'wandb-artifact:///acme/demo/model:v3',
  ])('are found: %s', (ref) => {
    expect(isRef(ref)).toBe(true);
  });

  it.each([
    '',
    'w',
    'weave:///acme/demo/object/cfg',
    'weave:///acme/object/cfg:abc',
    'weave:///acme/demo/object/cfg:abc and more',
    ' weave:///acme/demo/object/cfg:abc',
    'https:///acme/demo/object/cfg:abc',
  ])('are not seen in %j', (text) => {
    expect(isRef(text)).toBe(false);
  });

  it('are distinct, in the order they are met, at any depth, never in a key', () => {
    const [a, b] = ['weave:///a/b/op/x:1', 'weave:///a/b/op/y:1'];

    expect([...refsIn({ first: [b, { deep: a }], [a]: 1, again: b, none: null })]).toEqual([b, a]);
  });
});

describe('usage', () => {
  it.each([undefined, null, 'text', 7, [], {}, { usage: null }, { usage: 'x' }])(
    'is none in %j',
    (summary) => expect(usageIn(summary)).toEqual([]),
  );

  it('is the same in every dialect', () => {
    const usage = {
      openai: {
        requests: 2,
        prompt_tokens: 10,
        completion_tokens: 5,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 4 },
      },
      responses: { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
      anthropic: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 4,
        cache_creation_input_tokens: 3,
      },
      google: { prompt_tokens: 10, completion_tokens: 5, cached_content_token_count: 4 },
    };
    const same = { prompt: 10, completion: 5, cacheRead: 4, total: 15 };

    expect(usageIn({ usage })).toEqual([
      { model: 'openai', requests: 2, cacheWrite: 0, ...same },
      { model: 'responses', requests: 0, cacheWrite: 0, ...same },
      { model: 'anthropic', requests: 0, cacheWrite: 3, ...same },
      { model: 'google', requests: 0, cacheWrite: 0, ...same },
    ]);
  });

  it('counts whole, positive numbers and nothing else', () => {
    const counted = (prompt_tokens: unknown) => usageIn({ usage: { m: { prompt_tokens } } })[0]!;

    for (const nonsense of [-1, NaN, Infinity, 1e300, '7', null, {}, [3]]) {
      expect(counted(nonsense)).toMatchObject({ prompt: 0, total: 0 });
    }
    expect(counted(1.6).prompt).toBe(2);
    expect(usageIn({ usage: { m: null, n: 3 } })).toMatchObject([{ total: 0 }, { total: 0 }]);
  });
});

describe('leaves', () => {
  const leaves = (json: string) => {
    const found = noLeaves();
    addLeaves(found, 'inputs', JSON.parse(json));
    const { strings, numbers, booleans, full } = found;
    return { all: Object.fromEntries([...strings, ...numbers, ...booleans]), full };
  };

  it('are the scalars by path, with dots and backslashes of keys escaped', () => {
    expect(leaves('{"a":[{"b.c":"x"},true],"d\\\\":1.5,"":"","n":null,"o":{}}')).toEqual({
      all: {
        'inputs.a.0.b\\.c': 'x',
        'inputs.a.1': true,
        'inputs.d\\\\': 1.5,
        'inputs.': '',
      },
      full: true,
    });
    expect(leaves('"whole"').all).toEqual({ inputs: 'whole' });
    expect(leaves('{"__proto__":{"x":1}}').all).toEqual({ 'inputs.__proto__.x': 1 });
  });

  it.each([
    '9007199254740993',
    '-123456789012345678901234567890',
    '1e400',
    '"\\ud800"',
    JSON.stringify('x'.repeat(257)),
  ])('leave out %s, and say so', (value) => {
    expect(leaves(`{"odd":${value},"even":1}`)).toEqual({
      all: { 'inputs.even': 1 },
      full: false,
    });
  });
});
