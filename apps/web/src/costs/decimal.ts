/** Decimals of the server as integers of 10^-18, so that sums and products keep every digit. */
const PLACES = 18;
const ONE = 10n ** BigInt(PLACES);

/** Zero for a text that is not a decimal. JSON numbers may have an exponent. */
export function unitsOf(decimal: string): bigint {
  const [, sign, whole, fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,3}))?$/.exec(decimal) ?? [];
  if (whole === undefined) return 0n;
  const shift = PLACES + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const units = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  return sign ? -units : units;
}

export function decimalOf(units: bigint): string {
  const size = units < 0n ? -units : units;
  const fraction = String(size % ONE)
    .padStart(PLACES, '0')
    .replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${size / ONE}${fraction && `.${fraction}`}`;
}

export const sumOf = (decimals: Iterable<string>): string => {
  let sum = 0n;
  for (const decimal of decimals) sum += unitsOf(decimal);
  return decimalOf(sum);
};

/** Tokens times a price. */
export const timesTokens = (tokens: number, price: string): string =>
  decimalOf(BigInt(tokens) * unitsOf(price));

/** Members whose numbers become texts before they are parsed: a double has fewer digits than a cost. */
const COSTS = /"(total_cost|\w+_token_cost)":(-?\d[-+.\deE]*)/g;

/** Parses JSON, with costs and prices as texts of all their digits. */
export const parseCosts = <T>(json: string): T => JSON.parse(json.replace(COSTS, '"$1":"$2"')) as T;
