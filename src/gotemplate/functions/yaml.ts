import { isJsonObject, JsonError, parseYaml, renderYaml, YamlError } from '../../base/index.ts';
import { LimitReached } from '../errors.ts';
import { formatFloat } from '../format/float.ts';
import type { Run } from '../run.ts';
import {
  type Dict,
  dictGet,
  floatOf,
  GoObject,
  integerOf,
  isDict,
  isNilList,
  sortedKeys,
  type Value,
} from '../values.ts';
import { asGoJson } from './json.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

/** Helm's functions: what cannot be read answers its message under the key Error. */
export const yamlFunctions: readonly FunctionSpec[] = defineRunning({
  'toYaml(any)': (run, value: Value) => {
    const text = renderYaml(plain(run, value, 0), { sortKeys: true });
    run.charge(text.length);
    return text.replace(/\n$/, '');
  },
  'mustToYaml(any)': (run, value: Value) => renderYaml(plain(run, value, 0), { sortKeys: true }).replace(/\n$/, ''),
  'fromYaml(string)': (run, text: string) => {
    const value = parse(run, text);
    if (typeof value === 'string') return { Error: value };
    if (value.parsed === null) return {};
    if (!isJsonObject(value.parsed)) return { Error: 'error unmarshaling JSON: the text is not a map' };
    return asGoJson(value.parsed);
  },
  'fromYamlArray(string)': (run, text: string) => {
    const value = parse(run, text);
    if (typeof value === 'string') return [value];
    if (value.parsed === null) return [];
    return Array.isArray(value.parsed) ? asGoJson(value.parsed) : ['error unmarshaling JSON: the text is not a list'];
  },
});

function parse(run: Run, text: string): string | { readonly parsed: Value } {
  run.charge(text.length * 4);
  try {
    return { parsed: parseYaml(text) };
  } catch (thrown) {
    if (thrown instanceof YamlError || thrown instanceof JsonError) return thrown.message;
    throw thrown;
  }
}

/** A value as the YAML writer takes it: floats that are whole stay whole numbers, as JSON has them. */
function plain(run: Run, value: Value, depth: number): Value {
  run.step();
  if (depth > run.env.limits.depth)
    throw new LimitReached('template-depth-limit', 'the value is nested too deeply for YAML');
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return isNilList(value) ? null : value.map((item) => plain(run, item, depth + 1));
  if (value instanceof GoObject) return value.toString();
  const integer = integerOf(value);
  if (integer !== undefined) return integer;
  const real = floatOf(value);
  if (real !== undefined) return Number(formatFloat(real, 'g', -1));
  if (!isDict(value)) return value;
  return plainDict(run, value, depth);
}

function plainDict(run: Run, dict: Dict, depth: number): Value {
  return Object.fromEntries(sortedKeys(dict).map((key) => [key, plain(run, dictGet(dict, key), depth + 1)]));
}
