/** Decimal digits `d1 d2 ...` of a positive number whose value is `0.d1d2... * 10^point`. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/**
 * Go's `strconv.FormatFloat` for 64 bits. `precision` -1 is the shortest text that reads back as the same number;
 * any other rounds the exact value half to even, which `toFixed` and `toExponential` do not.
 */
export function formatFloat(
  value: number,
  format: 'e' | 'E' | 'f' | 'g' | 'G' | 'b' | 'x' | 'X',
  precision: number,
): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  switch (format) {
    case 'b':
      return sign + formatBinary(magnitude);
    case 'x':
    case 'X':
      return sign + formatHex(magnitude, format, precision);
    case 'f': {
      const decimal = precision < 0 ? shortest(magnitude) : rounded(magnitude, { places: precision });
      return sign + fixed(decimal, precision < 0 ? Math.max(decimal.digits.length - decimal.point, 0) : precision);
    }
    case 'e':
    case 'E': {
      const decimal = precision < 0 ? shortest(magnitude) : rounded(magnitude, { digits: precision + 1 });
      return sign + exponential(decimal, precision < 0 ? decimal.digits.length - 1 : precision, format);
    }
    default:
      return sign + general(magnitude, format, precision);
  }
}

function general(magnitude: number, format: 'g' | 'G', precision: number): string {
  const wanted = precision === 0 ? 1 : precision;
  const decimal = precision < 0 ? shortest(magnitude) : trimZeros(rounded(magnitude, { digits: wanted }));
  let limit = wanted;
  if (limit > decimal.digits.length && decimal.digits.length >= decimal.point) limit = decimal.digits.length;
  // The shortest form switches to exponents as if its precision were 6, but never loses digits.
  if (precision < 0) limit = 6;
  const exponent = magnitude === 0 ? 0 : decimal.point - 1;
  if (exponent < -4 || exponent >= limit) {
    return exponential(decimal, decimal.digits.length - 1, format === 'g' ? 'e' : 'E');
  }
  return fixed(decimal, Math.max(decimal.digits.length - decimal.point, 0));
}

function shortest(magnitude: number): Decimal {
  if (magnitude === 0) return { digits: '0', point: 1 };
  const [mantissa, exponent] = magnitude.toExponential().split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), point: Number(exponent) + 1 };
}

/** The exact decimal expansion, rounded half to even to a number of digits or of decimal places. */
function rounded(magnitude: number, to: { readonly digits?: number; readonly places?: number }): Decimal {
  if (magnitude === 0) return { digits: '0', point: 1 };
  const { mantissa, exponent } = decompose(magnitude);
  // mantissa * 2^-n = mantissa * 5^n / 10^n
  const scaled = exponent >= 0 ? mantissa << BigInt(exponent) : mantissa * 5n ** BigInt(-exponent);
  const digits = scaled.toString();
  const point = digits.length + Math.min(exponent, 0);
  const keep = to.digits ?? point + to.places!;
  if (keep >= digits.length) return { digits, point };
  if (keep < 0) return { digits: '0', point: 1 };
  const head = digits.slice(0, keep);
  const next = digits[keep]!;
  const isTie = next === '5' && /^0*$/.test(digits.slice(keep + 1));
  const roundUp = isTie ? keep > 0 && Number(head[keep - 1]) % 2 === 1 : next >= '5';
  if (!roundUp) return keep === 0 ? { digits: '0', point: 1 } : { digits: head, point };
  const carried = (BigInt(head || '0') + 1n).toString().padStart(head.length, '0');
  return { digits: carried, point: point + carried.length - head.length };
}

function decompose(magnitude: number): { readonly mantissa: bigint; readonly exponent: number } {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, magnitude);
  const raw = bits.getBigUint64(0);
  const biased = Number((raw >> 52n) & 0x7ffn);
  const fraction = raw & 0xfffffffffffffn;
  return biased === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: biased - 1075 };
}

function trimZeros({ digits, point }: Decimal): Decimal {
  const trimmed = digits.replace(/0+$/, '');
  return trimmed === '' ? { digits: '0', point: 1 } : { digits: trimmed, point };
}

function fixed({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places === 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : '0'.repeat(-point) + digits;
  return `${whole}.${fraction.slice(0, places).padEnd(places, '0')}`;
}

function exponential({ digits, point }: Decimal, places: number, letter: 'e' | 'E'): string {
  const exponent = /^0*$/.test(digits) ? 0 : point - 1;
  const fraction = digits.slice(1, places + 1).padEnd(places, '0');
  const shown = `${Math.abs(exponent)}`.padStart(2, '0');
  return `${digits[0]}${places > 0 ? `.${fraction}` : ''}${letter}${exponent < 0 ? '-' : '+'}${shown}`;
}

function formatBinary(magnitude: number): string {
  const { mantissa, exponent } = decompose(magnitude);
  return `${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`;
}

function formatHex(magnitude: number, letter: 'x' | 'X', precision: number): string {
  let { mantissa, exponent } = decompose(magnitude);
  if (mantissa === 0n) exponent = 0;
  else {
    // One digit before the point: bits 0..51 are the fraction.
    while (mantissa < 1n << 52n) {
      mantissa <<= 1n;
      exponent--;
    }
    exponent += 52;
  }
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(4 * (13 - precision));
    const rest = mantissa & ((1n << drop) - 1n);
    mantissa >>= drop;
    const half = 1n << (drop - 1n);
    if (rest > half || (rest === half && (mantissa & 1n) === 1n)) mantissa++;
    mantissa <<= drop;
    if (mantissa >= 1n << 53n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  const hex = mantissa.toString(16).padStart(14, '0');
  const fraction =
    precision < 0 ? hex.slice(1).replace(/0+$/, '') : hex.slice(1).padEnd(precision, '0').slice(0, precision);
  const text = `0x${hex[0]}${fraction === '' ? '' : `.${fraction}`}p${exponent < 0 ? '-' : '+'}${`${Math.abs(exponent)}`.padStart(2, '0')}`;
  return letter === 'X' ? text.toUpperCase() : text;
}
