import { isJsonObject, setOwn } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { builtinSchemaOf, type Schema } from '../schema/index.ts';
import type { ServedKind } from './kinds.ts';
import type { Step } from './place.ts';
import type { Touched } from './touched.ts';

/** Numbers from 0 up to but not including 1, the same for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Part {
  readonly fields: Map<string, Part>;
  element: Part | undefined;
  readonly values: unknown[];
}

const newPart = (): Part => ({ fields: new Map(), element: undefined, values: [] });

/** Makes objects that differ in what a rule reads: absent, as the rule wants it, and otherwise. */
export function sampleMaker(
  kind: ServedKind,
  touched: readonly Touched[],
  random: () => number,
  /** Whether there is more beside what the rule reads, so that it shows whether that is kept. */
  { hasOthers = false }: { readonly hasOthers?: boolean } = {},
): () => KubeObject {
  const root = newPart();
  for (const { place, values } of touched) {
    let part = root;
    for (const step of place.steps) part = below(part, step);
    part.values.push(...values);
  }
  const schema = builtinSchemaOf(kind);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

  const build = (part: Part | undefined, of: Schema | undefined): unknown => {
    if (of?.type === 'array' || part?.element) {
      const length = pick([0, 1, 1, 2, 3]);
      return Array.from({ length }, () => build(part?.element, of?.items));
    }
    if (of?.type === 'object' || of?.properties || (part && part.fields.size > 0)) return buildMap(part, of);
    return pick(valuesFor(part?.values ?? [], of));
  };

  const buildMap = (part: Part | undefined, of: Schema | undefined): Record<string, unknown> => {
    const made: Record<string, unknown> = {};
    const required = of?.required ?? [];
    for (const key of new Set([...required, ...(part?.fields.keys() ?? [])])) {
      if (!required.includes(key) && random() < 0.3) continue;
      const others = of?.additionalProperties;
      const child = of?.properties?.[key] ?? (typeof others === 'object' ? others : undefined);
      const value = build(part?.fields.get(key), child);
      setOwn(
        made,
        key,
        Array.isArray(value) && value.length === 0 && required.includes(key)
          ? [build(part?.fields.get(key)?.element, child?.items)]
          : value,
      );
    }
    if (hasOthers && part && random() < 0.4) addOther(made, part, of);
    return made;
  };

  /** A field or an entry that nobody has asked for. */
  const addOther = (made: Record<string, unknown>, part: Part, of: Schema | undefined) => {
    const others = of?.additionalProperties;
    if (typeof others === 'object') setOwn(made, 'other.example/key', build(undefined, others));
    const names = Object.keys(of?.properties ?? {}).filter(
      (key) => !made[key] && !part.fields.has(key) && !serverFields.has(key),
    );
    const key = pick(names);
    if (key === undefined) return;
    const value = build(undefined, of?.properties?.[key]);
    if (!Array.isArray(value)) setOwn(made, key, value);
  };

  return () => {
    const { metadata, spec, ...rest } = buildMap(root, schema);
    const specSchema = schema?.properties?.['spec'];
    const names = isJsonObject(metadata) ? metadata : {};
    const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
    return {
      ...rest,
      apiVersion,
      kind: kind.kind,
      metadata: {
        ...names,
        name: String(names['name'] || 'sample'),
        ...(kind.namespaced ? { namespace: String(names['namespace'] || 'default') } : {}),
      },
      // Pods always have a spec.
      ...(spec === undefined && specSchema === undefined
        ? {}
        : { spec: spec ?? buildMap(root.fields.get('spec'), specSchema) }),
    } as KubeObject;
  };
}

const serverFields = new Set(['apiVersion', 'kind', 'metadata', 'status', 'managedFields', 'ownerReferences']);

function below(part: Part, step: Step): Part {
  if (typeof step !== 'string') return (part.element ??= newPart());
  const known = part.fields.get(step);
  if (known) return known;
  const made = newPart();
  part.fields.set(step, made);
  return made;
}

const amounts = [
  '0',
  '1',
  '100m',
  '500m',
  '1500m',
  '2',
  '10',
  '64Mi',
  '100Mi',
  '1Gi',
  '2Gi',
  '10Gi',
  '5s',
  '30s',
  '10m',
  '1h',
];

/** Values of the type of the field, near those that the rule names. */
function valuesFor(values: readonly unknown[], schema: Schema | undefined): readonly unknown[] {
  if (schema?.definition?.endsWith('.resource.Quantity')) return amounts;
  switch (schema?.type) {
    case 'boolean':
      return [true, false];
    case 'integer': {
      const numbers = values.flatMap(numbersIn);
      return [0, 1, 5, ...numbers.flatMap((one) => [one - 1, one, one + 1])];
    }
    default: {
      const texts = values.flatMap(textsIn);
      const isAmount = texts.some((one) => /^\d/.test(one));
      const others =
        schema === undefined ? values.filter((one) => typeof one !== 'string' && typeof one !== 'object') : [];
      return ['other', '', ...others, ...texts, ...texts.map((one) => `${one}x`), ...(isAmount ? amounts : [])];
    }
  }
}

const numbersIn = (value: unknown): readonly number[] =>
  typeof value === 'number' ? [value] : typeof value === 'string' ? (value.match(/\d+/g) ?? []).map(Number) : [];

/** The texts that a pattern stands for. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value !== 'string') return [];
  return value
    .split(/[|&]/)
    .map((one) =>
      one
        .trim()
        .replace(/^(?:[!<>]=?)/, '')
        .trim(),
    )
    .flatMap((one) => [one.replaceAll('*', '').replaceAll('?', 'a'), one.replaceAll('*', 'any').replaceAll('?', 'b')]);
}

/** The object with names of their own for the elements of lists that have names, as an API server demands. */
export function withKeys(object: KubeObject, kind: ServedKind): KubeObject {
  return keyed(object, builtinSchemaOf(kind)) as KubeObject;
}

function keyed(value: unknown, schema: Schema | undefined): unknown {
  if (Array.isArray(value)) {
    const keys = schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
    const seen = new Set<unknown>();
    return value.map((item, i) => {
      const made = keyed(item, schema?.items);
      const [key] = keys;
      if (key === undefined || !isJsonObject(made)) return made;
      const id = made[key];
      const isNumber = schema?.items?.properties?.[key]?.type === 'integer';
      const own = seen.has(id) || !id ? (isNumber ? 8000 + i : `${String(id || 'x')}${i}`) : id;
      seen.add(own);
      return { ...made, [key]: own };
    });
  }
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => {
      const others = schema?.additionalProperties;
      return [key, keyed(below, schema?.properties?.[key] ?? (typeof others === 'object' ? others : undefined))];
    }),
  );
}
