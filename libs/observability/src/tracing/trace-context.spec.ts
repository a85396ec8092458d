import { parseTraceparent, printTraceparent } from './trace-context.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

describe('a traceparent', () => {
  it('has the ids and the decision of the client', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      isSampled: true,
    });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toMatchObject({ isSampled: false });
    expect(parseTraceparent(`00-${traceId}-${spanId}-03`)).toMatchObject({ isSampled: true });
  });

  it('is printed as it was read', () => {
    const text = `00-${traceId}-${spanId}-01`;
    expect(printTraceparent(parseTraceparent(text)!)).toBe(text);
  });

  it.each([
    undefined,
    ['a', 'b'],
    '',
    'x',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `01-${traceId}-${spanId}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${spanId}-01`.repeat(1000),
  ])('is ignored when it is malformed: %#', (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
