/** CEL values in the words of the oracle: each with its type. */

import type { Environment } from '../../src/cel/environment.ts';
import { CelCompileError } from '../../src/cel/errors.ts';
import { merge } from '../../src/cel/functions/declare.ts';
import { encoderFunctions } from '../../src/cel/functions/encoders.ts';
import { mathFunctions } from '../../src/cel/functions/math.ts';
import { regexExtensionFunctions } from '../../src/cel/functions/regex.ts';
import { kubernetesEnvironment } from '../../src/cel/kubernetes.ts';
import { macrosFor } from '../../src/cel/macros.ts';
import { compile } from '../../src/cel/program.ts';
import { dynType } from '../../src/cel/types.ts';
import { findKey, isMap, mapKeys } from '../../src/cel/values/map.ts';
import { renderDouble } from '../../src/cel/values/numbers.ts';
import { renderTimestamp } from '../../src/cel/values/time.ts';
import {
  CelBytes,
  CelDouble,
  CelDuration,
  CelError,
  CelOptional,
  CelTimestamp,
  CelTypeValue,
  CelUint,
  isInt,
  none,
  typeNameOf,
} from '../../src/cel/values/values.ts';

export { CelCompileError, compile, dynType };

export const plainEnvironment: Environment = kubernetesEnvironment;

/** With the extensions of cel-go that Kyverno's policies have. */
export const extendedEnvironment: Environment = {
  ...kubernetesEnvironment,
  functions: merge([
    [...kubernetesEnvironment.functions.values()],
    encoderFunctions,
    mathFunctions,
    regexExtensionFunctions,
  ]),
  macros: macrosFor({ twoVariables: true, bind: true, math: true, lenientOrValue: false }),
};

export function toOracleForm(value: unknown): { value?: unknown; error?: string } {
  return value instanceof CelError ? { error: value.message } : { value: encode(value) };
}

export function encode(value: unknown): unknown {
  if (typeof value === 'boolean') return { bool: value };
  if (typeof value === 'string') return { string: value };
  if (isInt(value)) return { int: String(value) };
  if (typeof value === 'number') return { double: renderDouble(value) };
  if (value instanceof CelDouble) return { double: renderDouble(value.value) };
  if (value instanceof CelUint) return { uint: String(value.value) };
  if (value === null) return { null: true };
  if (value instanceof CelBytes) return { bytes: Buffer.from(value.bytes).toString('base64') };
  if (value instanceof CelDuration) return { duration: String(value.nanos) };
  if (value instanceof CelTimestamp) {
    return { timestamp: renderTimestamp(new CelTimestamp(value.seconds, value.nanos)) };
  }
  if (value instanceof CelTypeValue) return { type: value.name };
  if (value instanceof CelOptional) return { optional: value === none ? null : encode(value.value) };
  if (Array.isArray(value)) return { list: value.map(encode) };
  if (isMap(value)) return { map: mapKeys(value).map((key) => [encode(key), encode(findKey(value, key))]) };
  return { opaque: typeNameOf(value) };
}

/** With the entries of maps in one order. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === 'map' && Array.isArray(item)
        ? item.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        : sorted(item),
    ]),
  );
}
