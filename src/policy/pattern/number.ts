const decimal = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?$/;
const hexadecimal = /^([+-]?)0[xX]([\da-fA-F_]*)\.?([\da-fA-F_]*)[pP]([+-]?\d[\d_]*)$/;
const words = /^([+-]?)(inf|infinity|nan)$/i;
const maxLength = 1100;

/** Parses a number as Go's `strconv.ParseFloat` does, with infinities; undefined if it is invalid or too large. */
export function parseGoFloat(text: string): number | undefined {
  if (text === '' || text.length > maxLength) return undefined;
  const [, sign, word] = words.exec(text) ?? [];
  if (word !== undefined) return word.toLowerCase() === 'nan' ? Number.NaN : sign === '-' ? -Infinity : Infinity;
  const isHexadecimal = hexadecimal.test(text);
  if (!isHexadecimal && !decimal.test(text)) return undefined;
  if (!areUnderscoresFine(text, isHexadecimal)) return undefined;
  const plain = text.replaceAll('_', '');
  const value = isHexadecimal ? parseHexadecimal(plain) : Number(plain);
  return value !== undefined && Number.isFinite(value) ? value : undefined;
}

/** An underscore is allowed only between two digits, or between the base prefix and a digit. */
function areUnderscoresFine(text: string, isHexadecimal: boolean): boolean {
  if (!text.includes('_')) return true;
  return isHexadecimal ? !/[^\da-fA-FxX]_|_[^\da-fA-F]|_$/.test(text) : !/[^\d]_|_[^\d]|_$/.test(text);
}

function parseHexadecimal(text: string): number | undefined {
  const [, sign, whole = '', fraction = '', exponent] = hexadecimal.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const magnitude = Number(BigInt(`0x${digits}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
  return sign === '-' ? -magnitude : magnitude;
}
