import { usageIn } from './call-usage.js';

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
