import { JsonResponse, printResponse } from './json-response.js';

describe('an answer', () => {
  it('is printed as JSON', () => {
    expect(printResponse({ count: 1 })).toBe('{"count":1}');
  });

  it('is left as it stands when it is JSON text already', () => {
    expect(printResponse(new JsonResponse('{"one":1.0}'))).toBe('{"one":1.0}');
  });
});
