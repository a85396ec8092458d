import { parsePath } from './parse-path.js';

describe('a path', () => {
  it.each([
    ['inputs', ['inputs']],
    ['inputs.a.0', ['inputs', 'a', '0']],
    [String.raw`inputs.a\.b.c`, ['inputs', 'a.b', 'c']],
    [String.raw`inputs.a\\.b`, ['inputs', 'a\\', 'b']],
    [String.raw`inputs.C:\dir`, ['inputs', 'C:\\dir']],
    ['inputs..x', ['inputs', '', 'x']],
    ['inputs.a\\', ['inputs', 'a\\']],
  ])('splits %s into keys', (path, keys) => {
    expect(parsePath(path, [])).toEqual(keys);
  });

  it.each(['', '.', 'inputs.list.-1', 'a.'.repeat(101)])('refuses %j', (path) => {
    expect(() => parsePath(path, [])).toThrow();
  });
});
