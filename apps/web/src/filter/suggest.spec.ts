import { suggestions } from './suggest.js';

const facets = {
  calls: 3,
  sampled: false,
  facets: [
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
