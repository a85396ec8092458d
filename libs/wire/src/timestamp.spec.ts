import fc from 'fast-check';
import { micros, parseTimestamp, printTimestamp } from './timestamp.js';

describe('a timestamp on the wire', () => {
  it.each([
    ['2026-03-01T10:00:00.123456Z', '2026-03-01T10:00:00.123456Z'],
    ['2026-03-01T10:00:00.250Z', '2026-03-01T10:00:00.250000Z'],
    ['2026-03-01T10:00:00+02:00', '2026-03-01T08:00:00.000000Z'],
    ['2026-03-01T10:00:00-0130', '2026-03-01T11:30:00.000000Z'],
    ['2026-03-01 10:00', '2026-03-01T10:00:00.000000Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000000Z'],
    ['1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['2026-03-01T10:00:00.123456789Z', '2026-03-01T10:00:00.123456Z'],
  ])('reads %s', (text, printed) => {
    expect(printTimestamp(parseTimestamp(text)!)).toBe(printed);
  });

  it.each([
    '',
    'today',
    '2026-02-30T00:00:00Z',
    '2026-W05',
    '0050-01-01T00:00:00Z',
    '2026-03-01T25:00:00Z',
    '1772000000',
    '2026-03-01T10:00:00+99:00',
  ])('refuses %s', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('is read from the forms that SDKs send as from all others', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((n) => String(n).padStart(2, '0'));
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 11 });
    const common = fc
      .record({
        year: fc.integer({ min: 0, max: 9999 }).map((n) => String(n).padStart(4, '0')),
        date: fc.tuple(two, two),
        time: fc.tuple(two, two, two),
        fraction: fc.option(digits, { nil: undefined }),
        zone: fc.constantFrom('Z', '', '+00:00', 'z', '-00:00', '+00:0', '+0000', 'ZZ', '+01:00'),
      })
      .map(({ year, date, time, fraction, zone }) => {
        const rest = fraction === undefined ? '' : `.${fraction}`;
        return `${[year, ...date].join('-')}T${time.join(':')}${rest}${zone}`;
      });
    const real = fc
      .tuple(fc.integer({ min: -6e13, max: 2.5e14 }), digits, fc.constantFrom('Z', '', '+00:00'))
      .map(([ms, rest, zone]) => new Date(ms).toISOString().replace('Z', `${rest}${zone}`));
    const edited = fc
      .tuple(real, fc.nat(40), fc.constantFrom('', ' ', 'T', ':', '-', '.', '0', 'Z', '٣', '\n'))
      .map(([text, at, added]) => text.slice(0, at) + added + text.slice(at + 1));
    fc.assert(
      fc.property(fc.oneof(common, real, edited), (text) => {
        // The comma and the space are read by the general form only, and mean the same.
        const general = parseTimestamp(text.replace('T', ' '));
        if (/^.{10}T/.test(text)) expect([text, parseTimestamp(text)]).toEqual([text, general]);
      }),
      { numRuns: 20_000 },
    );
  });

  it('is printed as a Date prints it, with three digits more', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e15, max: 253_402_300_799_999_999 / 32 }), (time) => {
        const ms = Math.floor(time / 1000);
        const rest = String(time - ms * 1000).padStart(3, '0');
        const printed = new Date(ms).toISOString().replace('Z', `${rest}Z`);
        expect(printTimestamp(micros(time))).toBe(printed);
      }),
    );
  });

  it('is the same after printing and reading', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 253_402_300_799_999_999 / 32 }), (time) => {
        expect(parseTimestamp(printTimestamp(micros(time)))).toBe(time);
      }),
    );
  });
});
