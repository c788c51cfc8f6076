import { isJsonObject } from '../base/index.ts';
import { objectMetaSchema } from './object-meta.ts';
import type { Schema } from './types.ts';

/**
 * What a schema says about ownership. A value may be allowed several forms (an untyped field may be anything); which
 * applies is seen from the value. Shapes are made once per schema node, lazily, because schemas may be cyclic.
 */
export interface Shape {
  readonly scalar: ScalarKind | undefined;
  readonly list: ListShape | undefined;
  readonly map: MapShape | undefined;
}

export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListShape {
  readonly kind: 'atomic' | 'set' | 'map';
  /** Of a list of kind map: the fields that identify an item. */
  readonly keys: readonly string[];
  readonly keyDefault: (name: string) => unknown;
  readonly item: Shape;
}

export interface MapShape {
  readonly isAtomic: boolean;
  /** The shape of a field the schema names. */
  readonly declared: (name: string) => Shape | undefined;
  /** The shape of every other field; undefined when there may be none. */
  readonly others: Shape | undefined;
  readonly hasDeclared: boolean;
  /** What a built-in kind holds even where the JSON is silent: its Go fields that are never omitted. */
  readonly zeroes: readonly (readonly [string, unknown])[];
}

const nothingDeclared = { declared: () => undefined, hasDeclared: false, zeroes: [] } as const;

/** Whatever is inside is one value. */
const untypedAtomic: Shape = {
  scalar: 'untyped',
  get list(): ListShape {
    return { kind: 'atomic', keys: [], keyDefault: () => undefined, item: untypedAtomic };
  },
  get map(): MapShape {
    return { isAtomic: true, others: untypedAtomic, ...nothingDeclared };
  },
};

const deducedList: ListShape = { kind: 'atomic', keys: [], keyDefault: () => undefined, item: untypedAtomic };
const deducedMap: MapShape = {
  isAtomic: false,
  get others(): Shape {
    return deducedShape;
  },
  ...nothingDeclared,
};

/** No schema: maps field by field, lists as one value. */
export const deducedShape: Shape = { scalar: 'untyped', list: deducedList, map: deducedMap };

const shapes = new WeakMap<Schema, Shape>();
const preservingShapes = new WeakMap<Schema, Shape>();
const rootShapes = new WeakMap<Schema, Shape>();

/** The shape of whole objects of a kind. Custom resources get the metadata every object has, whatever they declare. */
export function shapeOfKind(schema: Schema | undefined): Shape {
  if (schema === undefined) return deducedShape;
  let shape = rootShapes.get(schema);
  if (shape === undefined) {
    const isBuiltIn = schema.definition !== undefined;
    shape = isBuiltIn ? shapeOf(schema, false) : makeShape(withObjectMeta(schema), false);
    rootShapes.set(schema, shape);
  }
  return shape;
}

function withObjectMeta(schema: Schema): Schema {
  const text: Schema = { type: 'string' };
  const declared = schema.properties?.['metadata'];
  const metadata = declared?.definition === undefined ? objectMetaSchema : declared;
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

function shapeOf(schema: Schema, preserves: boolean): Shape {
  // The flag goes down through inlined schemas but not through references to named ones.
  const inherits = preserves && schema.definition === undefined;
  const known = (inherits ? preservingShapes : shapes).get(schema);
  if (known !== undefined) return known;
  const shape = makeShape(schema, inherits);
  (inherits ? preservingShapes : shapes).set(schema, shape);
  return shape;
}

function makeShape(schema: Schema, inherited: boolean): Shape {
  const definition = schema.definition;
  if (definition === 'io.k8s.apimachinery.pkg.api.resource.Quantity')
    return { scalar: 'untyped', list: undefined, map: undefined };
  if (definition === 'io.k8s.apimachinery.pkg.runtime.RawExtension') return untypedAtomic;
  const [only] = schema.allOf ?? [];
  if (schema.type === undefined && only?.definition !== undefined && schema.allOf?.length === 1) {
    const { allOf: _, ...own } = schema;
    return makeShape({ ...only, ...own }, inherited);
  }
  const resource = schema['x-kubernetes-embedded-resource'] ? withObjectMeta(schema) : schema;
  const preserves = inherited || schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return new LazyShape(undefined, undefined, () => mapShape(resource, preserves));
    case 'array':
      return new LazyShape(undefined, () => listShape(schema, preserves), undefined);
    case undefined:
      return new LazyShape(
        'untyped',
        () => listShape(schema, preserves),
        () => mapShape(resource, preserves),
      );
    default:
      return { scalar: scalarKind(schema), list: undefined, map: undefined };
  }
}

class LazyShape implements Shape {
  private madeList: ListShape | undefined;
  private madeMap: MapShape | undefined;
  constructor(
    readonly scalar: ScalarKind | undefined,
    private readonly makeList: (() => ListShape) | undefined,
    private readonly makeMap: (() => MapShape) | undefined,
  ) {}
  get list(): ListShape | undefined {
    return (this.madeList ??= this.makeList?.());
  }
  get map(): MapShape | undefined {
    return (this.madeMap ??= this.makeMap?.());
  }
}

function scalarKind(schema: Schema): ScalarKind {
  if (schema.type === 'integer' || schema.type === 'number') return 'numeric';
  if (schema.type === 'boolean') return 'boolean';
  return schema.format === undefined || schema.format === '' || schema.format === 'byte' ? 'string' : 'untyped';
}

function mapShape(schema: Schema, preserves: boolean): MapShape {
  const properties = schema.properties ?? {};
  const declared = new Map<string, Shape>();
  for (const [name, property] of Object.entries(properties)) declared.set(name, shapeOf(property, preserves));
  return {
    isAtomic: schema['x-kubernetes-map-type'] === 'atomic',
    declared: (name) => declared.get(name),
    others: otherFields(schema, preserves),
    hasDeclared: declared.size > 0,
    zeroes: schema.definition === undefined ? [] : zeroFields(schema),
  };
}

function otherFields(schema: Schema, preserves: boolean): Shape | undefined {
  const additional = schema.additionalProperties;
  if (typeof additional === 'object') return shapeOf(additional, preserves);
  if (additional !== undefined) return additional ? deducedShape : undefined;
  const isFreeForm = schema.properties === undefined || Object.keys(schema.properties).length === 0;
  return preserves || isFreeForm ? deducedShape : undefined;
}

function listShape(schema: Schema, preserves: boolean): ListShape {
  const items = schema.items;
  return {
    ...listKind(schema),
    keyDefault: (name) => items?.properties?.[name]?.default,
    item: items === undefined ? untypedAtomic : shapeOf(items, preserves),
  };
}

function listKind(schema: Schema): Pick<ListShape, 'kind' | 'keys'> {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'map') return { kind: 'map', keys: schema['x-kubernetes-list-map-keys'] ?? [] };
  if (type !== undefined) return { kind: type, keys: [] };
  const strategy = schema['x-kubernetes-patch-strategy'];
  if (strategy !== 'merge' && strategy !== 'merge,retainKeys') return { kind: 'atomic', keys: [] };
  const key = schema['x-kubernetes-patch-merge-key'];
  return key === undefined ? { kind: 'set', keys: [] } : { kind: 'map', keys: [key] };
}

/**
 * OpenAPI tells which Go fields are always written: those that are no pointers have a zero default, and those that are
 * pointers, lists or maps are required and have none.
 */
function zeroFields(schema: Schema): readonly (readonly [string, unknown])[] {
  const zeroes: (readonly [string, unknown])[] = [];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = property.default;
    const isStruct = isJsonObject(value) && Object.keys(value).length === 0 && typeOf(property) === 'object';
    if (isStruct || value === '' || value === 0 || value === false) zeroes.push([name, value]);
    else if (value === undefined && schema.required?.includes(name)) {
      const type = typeOf(property);
      if (type === 'object' || type === 'array') zeroes.push([name, null]);
    }
  }
  return zeroes;
}

const typeOf = (schema: Schema): Schema['type'] => schema.type ?? schema.allOf?.[0]?.type;
