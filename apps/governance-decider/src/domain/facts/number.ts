/** What a JSON number is to Cedar, whose numbers are 64-bit integers and decimals with four places. */
export interface CedarNumber {
  /** Integers up to 2^53 - 1, whatever their spelling (`1`, `1.0`, `1e0`). */
  readonly long?: number;
  /** As Cedar's `decimal()` reads it; also for integers, so that no spelling moves a number out of sight. */
  readonly decimal?: string;
  /** False when the number itself is in neither. */
  readonly exact: boolean;
}

const places = 4;
const scale = 10n ** BigInt(places);
const maxScaled = 2n ** 63n - 1n;
const maxSafe = BigInt(Number.MAX_SAFE_INTEGER);
const maxExponent = 40;
const maxDigits = 64;

/** Takes the text of a JSON number (RFC 8259 section 6), never its rounded value. */
export function cedarNumber(text: string): CedarNumber {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return { exact: false };
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const exponent = Number(exponentText);
  if (Math.abs(exponent) > maxExponent || whole.length + fraction.length > maxDigits) return { exact: false };
  const digits = BigInt(sign + whole + fraction);
  const shift = exponent - fraction.length + places;
  const scaled = shiftedBy(digits, shift);
  if (scaled === undefined) return { exact: false };
  return numberOf(scaled);
}

/** `digits * 10^shift`, or nothing when that is not an integer. */
function shiftedBy(digits: bigint, shift: number): bigint | undefined {
  if (shift >= 0) return digits * 10n ** BigInt(shift);
  const divisor = 10n ** BigInt(-shift);
  return digits % divisor === 0n ? digits / divisor : undefined;
}

function numberOf(scaled: bigint): CedarNumber {
  const magnitude = scaled < 0n ? -scaled : scaled;
  const isLong = scaled % scale === 0n && magnitude / scale <= maxSafe;
  const isDecimal = magnitude <= maxScaled;
  return {
    exact: isLong || isDecimal,
    ...(isLong ? { long: Number(scaled / scale) } : {}),
    ...(isDecimal ? { decimal: decimalText(scaled < 0n, magnitude) } : {}),
  };
}

function decimalText(negative: boolean, magnitude: bigint): string {
  const fraction = (magnitude % scale)
    .toString()
    .padStart(places, '0')
    .replace(/0{1,3}$/, '');
  return `${negative ? '-' : ''}${magnitude / scale}.${fraction}`;
}
