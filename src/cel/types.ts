/** Types of expressions. Simple ones are single objects; those with parameters are compared by structure. */
export interface CelType {
  readonly kind:
    | 'dyn'
    | 'error'
    | 'null'
    | 'bool'
    | 'int'
    | 'uint'
    | 'double'
    | 'string'
    | 'bytes'
    | 'duration'
    | 'timestamp'
    | 'list'
    | 'map'
    | 'type'
    | 'struct'
    | 'opaque'
    | 'param';
  /** As `type()` shows it. */
  readonly name: string;
  readonly params: readonly CelType[];
  /** Of a struct: the types of its fields. */
  readonly fields?: ReadonlyMap<string, CelType> | undefined;
  /** Of a struct: any field may be there, of any type. */
  readonly isOpen?: true;
}

const simple = (kind: CelType['kind'], name: string = kind): CelType => ({ kind, name, params: [] });

export const dynType = simple('dyn');
/** A value that anything may be, where a signature says so: as dyn, but another type to whoever compares types. */
export const anyType = simple('dyn', 'any');
export const errorType = simple('error', '!error!');
export const nullType = simple('null', 'null_type');
export const boolType = simple('bool');
export const intType = simple('int');
export const uintType = simple('uint');
export const doubleType = simple('double');
export const stringType = simple('string');
export const bytesType = simple('bytes');
export const durationType = simple('duration', 'google.protobuf.Duration');
export const timestampType = simple('timestamp', 'google.protobuf.Timestamp');

export const listType = (element: CelType): CelType => ({ kind: 'list', name: 'list', params: [element] });
export const mapType = (key: CelType, value: CelType): CelType => ({ kind: 'map', name: 'map', params: [key, value] });
export const typeType = (of: CelType): CelType => ({ kind: 'type', name: 'type', params: [of] });
export const optionalType = (of: CelType): CelType => ({ kind: 'opaque', name: 'optional_type', params: [of] });
export const opaqueType = (name: string): CelType => ({ kind: 'opaque', name, params: [] });
export const param = (name: string): CelType => ({ kind: 'param', name, params: [] });

export function structType(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return { kind: 'struct', name, params: [], fields: new Map(Object.entries(fields)) };
}

/** A struct with any fields. */
export const openStructType = (name: string): CelType => ({ kind: 'struct', name, params: [], isOpen: true });

export const isDyn = ({ kind }: CelType) => kind === 'dyn';
export const isDynOrError = ({ kind }: CelType) => kind === 'dyn' || kind === 'error';
export const isOptional = ({ kind, name }: CelType) => kind === 'opaque' && name === 'optional_type';

/** What is in an optional; the type itself if it is none. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? (type.params[0] as CelType) : type;
}

export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((type, i) => sameType(type, b.params[i] as CelType));
}

/** As messages show a type. */
export function renderType(type: CelType): string {
  switch (type.kind) {
    case 'null':
    case 'duration':
    case 'timestamp':
      return type.kind;
    case 'type':
      return type.params.length === 0 ? 'type' : `type(${renderType(type.params[0] as CelType)})`;
    default:
      if (type.params.length === 0) return type.name;
      return `${type.name}(${type.params.map(renderType).join(', ')})`;
  }
}
