import { indentJson } from './indent-json.js';

describe('indented JSON', () => {
  it('has one value on a line, and every digit and escape as it was', () => {
    const text = '{"a":[1e400,12345678901234567890123,{}],"b\\"{":"x,:[","c":[],"d":null}';

    expect(indentJson(text)).toBe(`{
  "a": [
    1e400,
    12345678901234567890123,
    {}
  ],
  "b\\"{": "x,:[",
  "c": [],
  "d": null
}`);
  });

  it.each(['', '{', 'yesterday', '{"type":"X"}\n\u0001'])('leaves %j as it is', (text) => {
    expect(indentJson(text)).toBe(text);
  });

  it.each(['1', '"x"', '[]', 'null'])('leaves the single value %s as it is', (text) => {
    expect(indentJson(text)).toBe(text);
  });
});
