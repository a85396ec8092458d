import { asEngineError, httpStatus } from './engine-errors.js';

describe('errors of the engine', () => {
  it('keep their code and lose what was said before it', () => {
    const text = 'Query failed: Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)';
    const error = asEngineError(new Error(text));
    expect(error.serverCode).toBe(60);
    expect(error.message).toBe('Code: 60. DB::Exception: Unknown table. (UNKNOWN_TABLE)');
  });

  it('get a code when they have none', () => {
    expect(asEngineError('no memory').message).toBe(
      'Code: 1002. DB::Exception: no memory (UNKNOWN_EXCEPTION)',
    );
  });

  it.each([
    [62, 400],
    [516, 403],
    [60, 404],
    [159, 408],
    [48, 501],
    [241, 500],
  ])('code %i has the status %i', (code, status) => {
    expect(httpStatus(code)).toBe(status);
  });
});
