const PLACES = 18;
const ONE = 10n ** BigInt(PLACES);

/** Decimal text as an integer number of 10^-18 units, so that amounts are added and multiplied without rounding. */
export function unitsOf(decimal: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,18}))?$/.exec(decimal) ?? [];
  if (whole === undefined) throw new RangeError(`${decimal.slice(0, 60)} is not a decimal`);
  const units = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return sign ? -units : units;
}

/** Prints units as decimal text without trailing zeros: 0.000030 becomes 0.00003. */
export function decimalOf(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % ONE)
    .padStart(PLACES, '0')
    .replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / ONE}${fraction && `.${fraction}`}`;
}
