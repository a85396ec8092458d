/** A number as decimal text without an exponent: 1.5e-7 becomes 0.00000015. No digit is added or rounded. */
export function decimalText(value: number): string {
  const [digits = '0', exponent] = String(value).split('e');
  if (exponent === undefined) return digits;
  const [whole = '0', fraction = ''] = digits.replace('-', '').split('.');
  const point = whole.length + Number(exponent);
  const all = (whole + fraction)
    .padEnd(point, '0')
    .padStart(whole.length + fraction.length - Math.min(point - 1, 0), '0');
  const at = Math.max(point, 1);
  const decimals = all.slice(at);
  return `${value < 0 ? '-' : ''}${all.slice(0, at)}${decimals ? `.${decimals}` : ''}`;
}

const PLACES = 18;

/** Prices have 18 decimal places. A price that was computed, such as `7 * 1e-6`, has more, which say nothing. */
export function roundedDecimal(decimal: string): string {
  const [whole, fraction = ''] = decimal.split('.');
  if (fraction.length <= PLACES) return decimal;
  const units = BigInt(whole! + fraction.slice(0, PLACES)) + (fraction[PLACES]! >= '5' ? 1n : 0n);
  const digits = units.toString().padStart(PLACES + 1, '0');
  const kept = digits.slice(-PLACES).replace(/0+$/, '');
  return digits.slice(0, -PLACES) + (kept === '' ? '' : `.${kept}`);
}
