/**
 * The meaning of a plain scalar in Kubernetes, which reads YAML with go-yaml 2 and then as JSON: neither YAML 1.1
 * (`1:30` and dates stay text) nor 1.2 (`y`, `on` are booleans, `0644` is octal).
 */
export type Scalar = null | boolean | number | bigint | string;

const words: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ...spelled(['y', 'yes', 'true', 'on'], true),
  ...spelled(['n', 'no', 'false', 'off'], false),
  ...spelled(['null', '~', ''], null),
  ...spelled(['.inf', '+.inf'], Number.POSITIVE_INFINITY),
  ...spelled(['-.inf'], Number.NEGATIVE_INFINITY),
  ['.nan', Number.NaN],
  ['.NaN', Number.NaN],
  ['.NAN', Number.NaN],
]);

/** The value of a plain scalar; the caller rejects infinities and NaN. */
export function resolvePlain(text: string): Scalar {
  const c = text.charCodeAt(0);
  if ((c >= 0x30 && c <= 0x39) || c === 0x2b || c === 0x2d || c === 0x2e) return resolveNumber(text);
  // Only these letters start a word of the table; most scalars return here.
  if (text === '' || 'yYnNtTfFoO~'.includes(text[0]!)) {
    const word = words.get(text);
    if (word !== undefined) return word;
  }
  return text;
}

/** True when the text would not parse as itself, or would not with another YAML 1.1 parser: it must be quoted. */
export function needsQuotes(text: string): boolean {
  return typeof resolvePlain(text) !== 'string' || text === '<<' || timestamp.test(text) || sexagesimal.test(text);
}

const decimal = /^[+-]?(?:0|[1-9]\d*)$/;
const based = /^([+-]?)0(?:[xX]([0-9a-fA-F]+)|[oO]?([0-7]+)|[bB]([01]+))$/;
const float = /^[+-]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][+-]?\d+)?$/;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}(?:$|[Tt ]\d)/;
const sexagesimal = /^[-+]?\d[\d_]*(?::[0-5]?\d)+(?:\.\d*)?$/;

function resolveNumber(text: string): Scalar {
  const word = words.get(text);
  if (word !== undefined) return word;
  if (text.startsWith('.')) return float.test(text) ? finite(text, text) : text;
  const plain = text.includes('_') ? text.replaceAll('_', '') : text;
  if (decimal.test(plain)) {
    const value = Number(plain);
    return Number.isSafeInteger(value) ? value + 0 : (int64(BigInt(unsigned(plain)), plain.startsWith('-')) ?? value);
  }
  const found = based.exec(plain);
  if (found) {
    const [, sign, hex, octal, binary] = found;
    const digits = hex !== undefined ? `0x${hex}` : octal !== undefined ? `0o${octal}` : `0b${binary}`;
    const value = int64(BigInt(digits), sign === '-');
    if (value !== undefined) return value;
  }
  return float.test(plain) ? finite(plain, text) : text;
}

function finite(digits: string, text: string): number | string {
  const value = Number(digits);
  return Number.isFinite(value) ? value : text;
}

/** Exact within int64; the rest of uint64 becomes a double, as in the API server. */
function int64(magnitude: bigint, isNegative: boolean): number | bigint | undefined {
  const value = isNegative ? -magnitude : magnitude;
  if (BigInt.asIntN(64, value) === value) {
    const double = Number(value);
    return Number.isSafeInteger(double) ? double : value;
  }
  return !isNegative && BigInt.asUintN(64, value) === value ? Number(value) : undefined;
}

function unsigned(digits: string): string {
  return digits.startsWith('-') || digits.startsWith('+') ? digits.slice(1) : digits;
}

/** go-yaml accepts each word in lower case, in upper case and capitalised. */
function spelled(list: readonly string[], value: Scalar): [string, Scalar][] {
  return list.flatMap((word) => {
    const capital = word.replace(/[a-z]/, (letter) => letter.toUpperCase());
    return [...new Set([word, capital, word.toUpperCase()])].map((spelling): [string, Scalar] => [spelling, value]);
  });
}

/**
 * The plain scalar `text`, whose value is `key`, as a key of a JSON object; undefined for null, which cannot be one.
 */
export function renderKey(key: Scalar, text: string): string | undefined {
  if (key === null) return undefined;
  if (typeof key !== 'number' || !/^[^xX]*[.eE]/.test(text)) return String(key);
  if (Number.isFinite(key)) return renderFloat32(key);
  return Number.isNaN(key) ? '.nan' : key > 0 ? '.inf' : '-.inf';
}

/** Go's shortest text of a 32-bit float: that is how a key like `1.5` is written upstream. */
function renderFloat32(value: number): string {
  const wanted = Math.fround(value);
  let precision = 1;
  while (precision < 9 && Math.fround(Number(wanted.toPrecision(precision))) !== wanted) precision++;
  const [mantissa = '', exponent = '0'] = wanted.toExponential(precision - 1).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(wanted.toPrecision(precision)));
  return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
