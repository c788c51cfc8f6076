import { JsonError, parseJson } from '../../base/index.ts';
import { CallFailure, LimitReached } from '../errors.ts';
import { formatFloat } from '../format/float.ts';
import type { Run } from '../run.ts';
import { GoTime, renderRfc3339 } from '../time/go-time.ts';
import { joinBytes } from '../utf8.ts';
import {
  Complex,
  createDict,
  dictGet,
  dictSet,
  float,
  floatOf,
  GoObject,
  int64,
  integerOf,
  isDict,
  isNilList,
  sortedKeys,
  typeName,
  type Value,
} from '../values.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

export const jsonFunctions: readonly FunctionSpec[] = defineRunning({
  'toJson(any)': (run, value: Value) => quiet(() => render(run, value, {})),
  'mustToJson(any)': (run, value: Value) => render(run, value, {}),
  // The seed's name for it.
  'toJSON(any)': (run, value: Value) => render(run, value, { keepsHtml: true }),
  'toPrettyJson(any)': (run, value: Value) => quiet(() => render(run, value, { indent: '  ' })),
  'mustToPrettyJson(any)': (run, value: Value) => render(run, value, { indent: '  ' }),
  'toRawJson(any)': (run, value: Value) => render(run, value, { keepsHtml: true }),
  'mustToRawJson(any)': (run, value: Value) => render(run, value, { keepsHtml: true }),
  'fromJson(string)': (run, text: string) => {
    try {
      return read(run, text);
    } catch (thrown) {
      if (thrown instanceof CallFailure) return null;
      throw thrown;
    }
  },
  'mustFromJson(string)': read,
});

function quiet(work: () => string): string {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof CallFailure) return '';
    throw thrown;
  }
}

function read(run: Run, text: string): Value {
  run.charge(text.length * 4);
  try {
    return asGoJson(parseJson(text));
  } catch (thrown) {
    if (thrown instanceof JsonError) throw new CallFailure(thrown.message);
    throw thrown;
  }
}

/** What Go's decoder makes of JSON: every number is a float64. */
export const asGoJson = (value: Value): Value => withNumbers(value, (number) => float(Number(number)));

/** What Kubernetes' decoder makes of it: whole numbers are int64. */
export const asObject = (value: Value): Value =>
  withNumbers(value, (number) => (typeof number === 'bigint' || Number.isSafeInteger(number) ? int64(number) : number));

function withNumbers(value: Value, convert: (number: number | bigint) => Value): Value {
  if (typeof value === 'number' || typeof value === 'bigint') return convert(value);
  if (Array.isArray(value)) return value.map((item) => withNumbers(item, convert));
  if (!isDict(value)) return value;
  const dict = createDict();
  for (const key of sortedKeys(value)) dictSet(dict, key, withNumbers(dictGet(value, key), convert));
  return dict;
}

interface Style {
  readonly indent?: string;
  /** `<`, `>` and `&` as they are. */
  readonly keepsHtml?: boolean;
}

function render(run: Run, value: Value, style: Style): string {
  const text = write(run, value, style, 0);
  run.charge(text.length);
  return text;
}

/** JSON as Go writes it: keys sorted, angle brackets and ampersands escaped. */
function write(run: Run, value: Value, style: Style, depth: number): string {
  run.step();
  if (depth > run.env.limits.depth)
    throw new LimitReached('template-depth-limit', 'the value is nested too deeply for JSON');
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quoteJson(value, style.keepsHtml === true);
  if (typeof value === 'boolean') return `${value}`;
  const integer = integerOf(value);
  if (integer !== undefined) return BigInt(integer).toString();
  const real = floatOf(value);
  if (real !== undefined) return writeFloat(real);
  if (Array.isArray(value)) {
    if (isNilList(value)) return 'null';
    return block(
      '[',
      value.map((item) => write(run, item, style, depth + 1)),
      ']',
      style,
      depth,
    );
  }
  if (isDict(value)) {
    const separator = style.indent === undefined ? ':' : ': ';
    const entries = sortedKeys(value).map((key) => {
      const text = write(run, dictGet(value, key), style, depth + 1);
      return quoteJson(key, style.keepsHtml === true) + separator + text;
    });
    return block('{', entries, '}', style, depth);
  }
  if (value instanceof GoTime) return `"${renderRfc3339(value)}"`;
  if (value instanceof GoObject) return quoteJson(value.toString(), false);
  if (value instanceof Complex) throw new CallFailure('json: unsupported type: complex128');
  throw new CallFailure(`json: unsupported type: ${typeName(value)}`);
}

function block(open: string, items: readonly string[], close: string, { indent }: Style, depth: number): string {
  if (items.length === 0) return open + close;
  if (indent === undefined) return open + items.join(',') + close;
  const inner = `\n${indent.repeat(depth + 1)}`;
  return `${open}${inner}${items.join(`,${inner}`)}\n${indent.repeat(depth)}${close}`;
}

function writeFloat(value: number): string {
  if (!Number.isFinite(value)) throw new CallFailure(`json: unsupported value: ${formatFloat(value, 'g', -1)}`);
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-6 && size < 1e21)) return formatFloat(value, 'f', -1);
  return formatFloat(value, 'e', -1).replace(/e-0(\d)$/, 'e-$1');
}

function quoteJson(text: string, keepsHtml: boolean): string {
  const escapes = keepsHtml ? /[\u2028\u2029]/g : /[<>&\u2028\u2029]/g;
  const quoted = JSON.stringify(joinBytes(text)).replace(
    escapes,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  // Bytes that are no text.
  return quoted.replace(/(\\\\)|\\ud[89a-f][0-9a-f]{2}/g, (found, backslash) => (backslash ? found : '\\ufffd'));
}
