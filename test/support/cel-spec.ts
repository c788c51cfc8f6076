/** The conformance tests of the CEL specification, and an environment with all that they use and Kubernetes has or not. */
import { tests } from '@bufbuild/cel-spec/testdata/conformance.js';
import type { Environment, FunctionDecl, Overload } from '../../src/cel/environment.ts';
import { declare, form, member, merge } from '../../src/cel/functions/declare.ts';
import { encoderFunctions } from '../../src/cel/functions/encoders.ts';
import { formatFunction } from '../../src/cel/functions/format.ts';
import { listFunctions } from '../../src/cel/functions/lists.ts';
import { mathFunctions } from '../../src/cel/functions/math.ts';
import { reverseFunction, textFunctions } from '../../src/cel/functions/text.ts';
import { kubernetesEnvironment, standardFunctions, typesByName } from '../../src/cel/kubernetes.ts';
import { macrosFor } from '../../src/cel/macros.ts';
import * as types from '../../src/cel/types.ts';
import { MapBuilder } from '../../src/cel/values/map.ts';
import { intOf } from '../../src/cel/values/numbers.ts';
import { parseCelDuration, parseTimestamp } from '../../src/cel/values/time.ts';
import { CelBytes, CelTypeValue, CelUint, double } from '../../src/cel/values/values.ts';

type Json = Readonly<Record<string, unknown>>;

export interface SpecTest {
  readonly name: string;
  readonly path: string;
  readonly expr: string;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly disableMacros?: boolean;
  readonly checkOnly?: boolean;
  readonly typeEnv?: readonly Json[];
  readonly bindings?: Readonly<Record<string, { readonly value: Json }>>;
  readonly value?: Json;
  readonly evalError?: Json;
  readonly typedResult?: { readonly result?: Json; readonly deducedType?: Json };
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Json }[];
}

function* flatten({ name, suites = [], tests: own = [] }: Suite, above = ''): Generator<SpecTest> {
  const path = above === '' ? name : `${above}/${name}`;
  for (const { original } of own) yield { ...(original as unknown as SpecTest), path };
  for (const suite of suites) yield* flatten(suite, path);
}

export const specTests: readonly SpecTest[] = (tests as unknown as Suite).suites!.flatMap((suite) => [
  ...flatten(suite),
]);

/** Names of message types, enums and packages; Timestamp and Duration are types of CEL itself. */
const protobufName = /google\.protobuf(?!\.(?:Timestamp|Duration))|TestAllTypes|proto[23]\b|NestedEnum|GlobalEnum/;
/** Fields in which the suite writes messages and enums. */
const protobufFields: ReadonlySet<string> = new Set(['objectValue', 'messageType', 'enumValue', 'wrapper']);

/** Messages of protocol buffers, their enums and wrappers: Kubernetes has none. */
export function isAboutProtobuf(value: unknown): boolean {
  if (typeof value === 'string') return protobufName.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([field, inner]) => protobufFields.has(field) || isAboutProtobuf(inner));
}

const primitives: Readonly<Record<string, types.CelType>> = {
  BOOL: types.boolType,
  INT64: types.intType,
  UINT64: types.uintType,
  DOUBLE: types.doubleType,
  STRING: types.stringType,
  BYTES: types.bytesType,
  DURATION: types.durationType,
  TIMESTAMP: types.timestampType,
  ANY: types.dynType,
};

export function decodeType(type: Json): types.CelType {
  if (typeof type['primitive'] === 'string') return primitives[type['primitive']]!;
  if (typeof type['wellKnown'] === 'string') return primitives[type['wellKnown']]!;
  if (type['listType']) return types.listType(decodeType((type['listType'] as Json)['elemType'] as Json));
  if (type['mapType']) {
    const { keyType, valueType } = type['mapType'] as { keyType: Json; valueType: Json };
    return types.mapType(decodeType(keyType), decodeType(valueType));
  }
  if (type['abstractType']) {
    const { name, parameterTypes = [] } = type['abstractType'] as { name: string; parameterTypes?: Json[] };
    return { kind: 'opaque', name, params: parameterTypes.map(decodeType) };
  }
  if (typeof type['typeParam'] === 'string') return types.param(type['typeParam']);
  if (type['type'] !== undefined) return types.typeType(decodeType(type['type'] as Json));
  if ('null' in type) return types.nullType;
  return types.dynType;
}

export function decodeValue(value: Json): unknown {
  const [kind, content] = Object.entries(value)[0] ?? ['nullValue', null];
  switch (kind) {
    case 'int64Value':
      return intOf(BigInt(content as string));
    case 'uint64Value':
      return new CelUint(BigInt(content as string));
    case 'doubleValue':
      return double(Number(content));
    case 'bytesValue':
      return new CelBytes(new Uint8Array(Buffer.from(content as string, 'base64')));
    case 'listValue':
      return ((content as { values?: Json[] }).values ?? []).map(decodeValue);
    case 'mapValue': {
      const builder = new MapBuilder();
      for (const { key, value: item } of (content as { entries?: { key: Json; value: Json }[] }).entries ?? []) {
        builder.set(decodeValue(key), decodeValue(item));
      }
      return builder.build();
    }
    case 'typeValue':
      return new CelTypeValue(content as string);
    case 'objectValue': {
      const { '@type': type, value: text } = content as { '@type': string; value: string };
      return type.endsWith('Timestamp') ? parseTimestamp(text) : parseCelDuration(text);
    }
    case 'nullValue':
      return null;
    default:
      return content;
  }
}

export function environmentFor({ container = '', typeEnv = [] }: SpecTest): {
  readonly environment: Environment;
  readonly variables: ReadonlyMap<string, types.CelType>;
} {
  const variables = new Map<string, types.CelType>();
  const functions: FunctionDecl[] = [];
  for (const { name, ident, function: declared } of typeEnv as readonly {
    name: string;
    ident?: Json;
    function?: Json;
  }[]) {
    if (ident) variables.set(name, decodeType(ident['type'] as Json));
    if (declared) functions.push(declare(name, ...(declared['overloads'] as readonly Json[]).map(decodeOverload)));
  }
  return { environment: { ...specEnvironment, container, functions: merge([base, functions]) }, variables };
}

function decodeOverload({ overloadId, params = [], resultType, isInstanceFunction }: Json): Overload {
  const make = isInstanceFunction ? member : form;
  return make(overloadId as string, (params as readonly Json[]).map(decodeType), decodeType(resultType as Json));
}

const base: readonly FunctionDecl[] = [
  ...standardFunctions.flat(),
  ...textFunctions,
  reverseFunction,
  formatFunction('plain'),
  ...listFunctions,
  ...mathFunctions,
  ...encoderFunctions,
];

const specEnvironment: Environment = {
  ...kubernetesEnvironment,
  functions: merge([base]),
  types: typesByName([]),
  macros: macrosFor({ twoVariables: true, bind: true, math: true, lenientOrValue: false }),
  validatesLiterals: false,
};
