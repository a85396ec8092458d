import { fieldOf, isAbout } from './annotation-spec.js';

describe('an annotation spec', () => {
  it('has a field for the value of its schema', () => {
    expect(fieldOf({ type: 'boolean' })).toEqual({ kind: 'flag' });
    expect(fieldOf({ type: 'string', enum: ['a', 'b'] })).toEqual({
      kind: 'choice',
      choices: ['a', 'b'],
    });
    expect(fieldOf({ type: 'integer', minimum: 1, maximum: 3 })).toEqual({
      kind: 'choice',
      choices: [1, 2, 3],
    });
    expect(fieldOf({ type: 'number', minimum: 0, maximum: 1 })).toEqual({
      kind: 'number',
      isWhole: false,
      min: 0,
      max: 1,
    });
    expect(fieldOf({ type: 'string', maxLength: 10 })).toEqual({ kind: 'text', maxLength: 10 });
    expect(fieldOf({ type: 'array' })).toBeUndefined();
    expect(fieldOf(null)).toBeUndefined();
  });

  it('is about every op, or the versions of some', () => {
    const scope = { name: 'x', op_scope: ['weave:///a/b/op/f:*'] };

    expect(isAbout({ name: 'x' }, 'anything')).toBe(true);
    expect(isAbout(scope, 'weave:///a/b/op/f:123')).toBe(true);
    expect(isAbout(scope, 'weave:///a/b/op/fg:123')).toBe(false);
  });
});
