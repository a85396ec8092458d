import { formatAge, formatBytes, formatDuration, formatMoney, opLabel } from './format.js';

describe('formats', () => {
  it.each([
    [0.42, '0.4 ms'],
    [820, '820 ms'],
    [4210, '4.21 s'],
    [59_999, '1 m 00 s'],
    [125_000, '2 m 05 s'],
    [11_040_000, '3 h 04 m'],
  ])('print %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it.each([
    [0, '$0'],
    [0.00008, '$0.000080'],
    [0.041, '$0.041'],
    [0.5, '$0.50'],
    [12.414, '$12.41'],
    [1234567.8, '$1,234,567.80'],
    [-2.61, '−$2.61'],
  ])('print %d dollars as %s', (dollars, text) => {
    expect(formatMoney(dollars)).toBe(text);
  });

  it('print sizes and ages in the largest unit that fits', () => {
    const now = Date.parse('2026-03-02T10:00:00Z');

    expect([999, 1500, 20_000, 20_971_520].map(formatBytes)).toEqual([
      '999 B',
      '1.5 kB',
      '20 kB',
      '21 MB',
    ]);
    expect(formatAge('2026-03-02T09:59:30Z', now)).toBe('just now');
    expect(formatAge('2026-03-02T09:57:00Z', now)).toBe('3 min ago');
    expect(formatAge('2026-02-28T09:57:00Z', now)).toBe('2 d ago');
  });

  it('show the name of an op, not its ref', () => {
    expect(opLabel('weave:///acme/demo/op/agent.run:abc')).toBe('agent.run');
    expect(opLabel('plain')).toBe('plain');
  });
});
