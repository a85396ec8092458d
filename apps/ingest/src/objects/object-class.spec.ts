import { classified } from './object-class.js';

const aValue = (base: unknown) =>
  Buffer.from(
    JSON.stringify({ _class_name: 'Mine', _bases: [base, 'Object', 'BaseModel'], name: 'x' }),
  );

describe('the class of an object', () => {
  it('is the first of its bases that is not a base of every object', () => {
    expect(classified(aValue('Model'))).toMatchObject({ baseClass: 'Model', leafClass: 'Mine' });
  });

  it('is empty when the base is not a text, even if it cannot be converted to one', () => {
    for (const base of [{ toString: 1, valueOf: 1 }, [], 7, null])
      expect(classified(aValue(base))).toMatchObject({ baseClass: '', leafClass: 'Mine' });
  });
});
