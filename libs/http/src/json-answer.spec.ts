import { JsonAnswer, printAnswer } from './json-answer.js';

describe('an answer', () => {
  it('is printed as JSON', () => {
    expect(printAnswer({ count: 1 })).toBe('{"count":1}');
  });

  it('is left as it stands when it is JSON text already', () => {
    expect(printAnswer(new JsonAnswer('{"one":1.0}'))).toBe('{"one":1.0}');
  });
});
