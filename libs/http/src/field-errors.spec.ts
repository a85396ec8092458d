import { ValidationError } from 'class-validator';
import { fieldErrors } from './field-errors.js';

const anError = (fields: Partial<ValidationError>): ValidationError =>
  Object.assign(new ValidationError(), { value: 1, ...fields });

describe('the list of field errors', () => {
  it('has the place and the reason, without naming the field twice', () => {
    const error = anError({
      property: 'limit',
      constraints: { isInt: 'limit must be an integer number' },
    });

    expect(fieldErrors([error])).toEqual([
      { loc: ['body', 'limit'], msg: 'must be an integer number', type: 'isInt' },
    ]);
  });

  it('reports a missing field once, whatever its checks', () => {
    const error = anError({
      property: 'id',
      value: undefined,
      constraints: { isString: 'id must be a string', isNotEmpty: 'id should not be empty' },
    });

    expect(fieldErrors([error])).toEqual([
      { loc: ['body', 'id'], msg: 'Field required', type: 'missing' },
    ]);
  });

  it('has the errors of parts and of list items, whose places are numbers', () => {
    const inner = anError({ property: 'id', constraints: { isString: 'id must be a string' } });
    const error = anError({
      property: 'batch',
      children: [anError({ property: '3', children: [inner] })],
    });

    expect(fieldErrors([error], ['body', 'req'])).toEqual([
      { loc: ['body', 'req', 'batch', 3, 'id'], msg: 'must be a string', type: 'isString' },
    ]);
  });

  it('truncates a long message', () => {
    const error = anError({ property: 'a', constraints: { x: 'a'.repeat(10_000) } });

    expect(fieldErrors([error])[0]!.msg).toHaveLength(300);
  });
});
