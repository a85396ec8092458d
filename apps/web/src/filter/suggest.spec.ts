import { suggestions } from './suggest.js';

const facets = {
  calls: 3,
  sampled: false,
  facets: [
    {
      field: 'op_name',
      values: [
        { value: 'weave:///a/b/op/agent.run:v1', count: 2 },
        { value: 'weave:///a/b/op/agent.run:v2', count: 1 },
        { value: 'chat', count: 1 },
      ],
      distinct: 3,
      missing: 0,
    },
    {
      field: 'wb_user_id',
      values: [
        { value: 'ann', count: 2 },
        { value: 'b c', count: 1 },
      ],
      distinct: 2,
      missing: 0,
    },
  ],
};
const offered = (text: string) => suggestions(text, text.length, facets).map((one) => one.insert);

describe('the completion of a filter', () => {
  it('offers fields where a condition begins', () => {
    expect(offered('')).toContain('status');
    expect(offered('st')).toEqual(['status', 'started']);
    expect(offered('status = error and lat')).toEqual(['latency']);
  });

  it('offers comparisons after a field, and the values that occur after a comparison', () => {
    expect(offered('user ')).toContain('=');
    expect(offered('user = ')).toEqual(['ann', '"b c"']);
    expect(offered('user in (ann, ')).toEqual(['ann', '"b c"']);
    expect(offered('status = e')).toEqual(['error']);
  });

  it('offers ops by name, their versions together, and values in quotes by their text', () => {
    expect(suggestions('op = a', 6, facets)).toEqual([{ insert: 'agent.run', hint: '3', from: 5 }]);
    expect(offered('user = b')).toEqual(['"b c"']);
  });

  it('offers and or or after a condition, and nothing inside a text', () => {
    expect(offered('user = ann ')).toEqual(['and', 'or']);
    expect(offered('"free te')).toEqual([]);
  });

  it('replaces only the word before the cursor', () => {
    expect(suggestions('st and op = f', 2, undefined)[0]).toMatchObject({
      insert: 'status',
      from: 0,
    });
  });
});
