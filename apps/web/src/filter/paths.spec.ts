import { pathsIn } from './paths.js';
import { suggestions } from './suggest.js';

const payloads = [
  { member: 'inputs', text: '{"meta":{"customer":"c7","n":1},"list":[{"a":1}],"a.b":true}' },
  { member: 'inputs', text: '{"meta":{"customer":"c8"},"cut":"abc' },
  { member: 'output', text: '"plain"' },
];

describe('the paths of a list', () => {
  it('are those of scalars, with their values; a value that is cut has none', () => {
    const paths = pathsIn(payloads);

    expect([...paths.keys()]).toEqual(['inputs.meta.customer', 'inputs.meta.n', 'inputs.a\\.b']);
    expect(paths.get('inputs.meta.customer')).toEqual(
      new Map([
        ['c7', 1],
        ['c8', 1],
      ]),
    );
  });

  it('complete the filter: first the path, then its values', () => {
    const offered = (text: string) =>
      suggestions(text, text.length, undefined, pathsIn(payloads)).map(({ insert }) => insert);

    expect(offered('status = error and inputs.meta.c')).toEqual(['inputs.meta.customer']);
    expect(offered('inputs.meta.customer = ')).toEqual(['c7', 'c8']);
  });
});
