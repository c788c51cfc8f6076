/**
 * Values as Go prints them, for wildcards and messages. JSON has one type of number and Go has two: an integral number of
 * an object is an integer, every number of a pattern a float.
 */

/** Whether a whole number counts as an integer (objects) or as a float (patterns). */
type NumberKind = 'integer' | 'float';

/** Limits the length of values that are quoted in messages. */
const maxText = 2000;

/** As `%v` prints it, truncated after two thousand characters. */
export function goText(value: unknown, numbers: NumberKind = 'integer'): string {
  if (typeof value === 'string' && value.length <= maxText) return value;
  const out: string[] = [];
  let length = 0;
  const write = (text: string) => {
    if (length <= maxText) out.push(text);
    length += text.length;
  };
  const walk = (item: unknown): void => {
    if (length > maxText) return;
    if (Array.isArray(item)) {
      write('[');
      for (let i = 0; i < item.length && length <= maxText; i++) {
        if (i > 0) write(' ');
        walk(item[i]);
      }
      write(']');
    } else if (typeof item === 'object' && item !== null) {
      write('map[');
      for (const [i, key] of Object.keys(item).sort().entries()) {
        if (length > maxText) break;
        write(`${i > 0 ? ' ' : ''}${key}:`);
        walk((item as Readonly<Record<string, unknown>>)[key]);
      }
      write(']');
    } else write(scalarText(item, numbers));
  };
  walk(value);
  const text = out.join('');
  return length > maxText ? `${text.slice(0, maxText)}…` : text;
}

function scalarText(value: unknown, numbers: NumberKind): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value !== 'number') return String(value);
  return numbers === 'integer' && isInt64(value) ? integerText(value) : shortestText(value);
}

/** As `%T` names the type. */
export function goType(value: unknown, numbers: NumberKind = 'integer'): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return numbers === 'integer' ? 'int64' : 'float64';
    case 'number':
      return numbers === 'integer' && isInt64(value) ? 'int64' : 'float64';
    default:
      return 'map[string]interface {}';
  }
}

/** True for a number that is an integer in an object. */
export function isInt64(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

/** Plain digits, where JavaScript would write 1e+21. */
export function integerText(value: number): string {
  return Number.isSafeInteger(value) ? String(value === 0 ? 0 : value) : BigInt(value).toString();
}

/** Go's `%f`: six decimals. */
export function fixedText(value: number): string {
  return Math.abs(value) >= 1e21 ? `${BigInt(value)}.000000` : value.toFixed(6);
}

/** Go's `%E` with as many digits as the number needs: 1.5E+00. */
export function exponentText(value: number): string {
  return withTwoDigits(value.toExponential()).toUpperCase();
}

/** Go's `%v` of a float: an exponent below a ten-thousandth and from a million on. */
function shortestText(value: number): string {
  if (value === 0) return '0';
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf('e') + 1));
  return exponent < -4 || exponent >= 6 ? withTwoDigits(text) : String(value);
}

function withTwoDigits(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}
