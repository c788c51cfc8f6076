import type { Schema } from '../../schema/index.ts';

/** What the real server's Go types make of a schema node of a built-in kind. */
export type GoKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'duration'
  | 'float64'
  | 'int-or-string'
  | 'int32'
  | 'int64'
  | 'list'
  | 'map'
  | 'micro-time'
  | 'quantity'
  | 'string'
  | 'struct'
  | 'time';

const special: Readonly<Record<string, GoKind>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'int-or-string',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': 'time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': 'micro-time',
  'io.k8s.apimachinery.pkg.apis.meta.v1.Duration': 'duration',
};

export function goKindOf(schema: Schema): GoKind {
  const known = schema.definition === undefined ? undefined : special[schema.definition];
  if (known) return known;
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') return 'int-or-string';
  switch (schema.type) {
    case 'string':
      return schema.format === 'byte' ? 'bytes' : 'string';
    case 'integer':
      return schema.format === 'int32' ? 'int32' : 'int64';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return 'list';
    default:
      if (schema.properties) return 'struct';
      return typeof schema.additionalProperties === 'object' ? 'map' : 'any';
  }
}

/** `io.k8s.api.core.v1.PodSpec` → `PodSpec`. */
export function structName(definition: string): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}

/** The Go type as an error names it: `int32`, `[]v1.Container`, `map[string]string`. */
export function goTypeName(schema: Schema): string {
  const kind = goKindOf(schema);
  switch (kind) {
    case 'list':
      return `[]${schema.items ? goTypeName(schema.items) : 'interface {}'}`;
    case 'map':
      return `map[string]${typeof schema.additionalProperties === 'object' ? goTypeName(schema.additionalProperties) : 'interface {}'}`;
    case 'bytes':
      return '[]uint8';
    case 'quantity':
      return 'resource.Quantity';
    case 'int-or-string':
      return 'intstr.IntOrString';
    case 'time':
      return 'v1.Time';
    case 'micro-time':
      return 'v1.MicroTime';
    case 'duration':
      return 'v1.Duration';
    case 'struct':
    case 'any':
      return schema.definition === undefined ? 'interface {}' : schema.definition.split('.').slice(-2).join('.');
    default:
      return kind;
  }
}
