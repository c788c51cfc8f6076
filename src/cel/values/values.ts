/**
 * CEL values. JSON values are CEL values as they are: strings, booleans, null, arrays (lists), plain objects (maps with
 * string keys), numbers. A safe integer is an int, any other number a double; an int beyond 2^53 is a bigint. All that
 * JSON cannot carry is an instance of a subclass of `Boxed`.
 */
export abstract class Boxed {
  abstract readonly typeName: string;
}

/** A double that would pass for an int. */
export class CelDouble extends Boxed {
  readonly typeName = 'double';
  constructor(readonly value: number) {
    super();
  }
}

export class CelUint extends Boxed {
  readonly typeName = 'uint';
  constructor(readonly value: bigint) {
    super();
  }
}

export class CelBytes extends Boxed {
  readonly typeName = 'bytes';
  constructor(readonly bytes: Uint8Array) {
    super();
  }
}

export class CelDuration extends Boxed {
  readonly typeName = 'google.protobuf.Duration';
  constructor(readonly nanos: bigint) {
    super();
  }
}

export class CelTimestamp extends Boxed {
  readonly typeName = 'google.protobuf.Timestamp';
  constructor(
    /** Since 1970. */
    readonly seconds: number,
    readonly nanos: number,
    /** Of the zone it was written in: its text shows it, nothing else. */
    readonly offsetMinutes = 0,
  ) {
    super();
  }
}

/** A type as a value: what `type(x)` gives. */
export class CelTypeValue extends Boxed {
  readonly typeName = 'type';
  constructor(readonly name: string) {
    super();
  }
}

export class CelOptional extends Boxed {
  readonly typeName = 'optional_type';
  constructor(readonly value: unknown) {
    super();
  }
  get isPresent(): boolean {
    return this !== none;
  }
}

/** `optional.none()`: compared by identity. */
export const none = new CelOptional(undefined);

/** Fields that are worked out when they are selected: a map for every expression. */
export abstract class LazyMap extends Boxed {
  readonly typeName = 'map';
  /** Undefined when there is no such key; an error or an unknown stands for itself. */
  abstract get(key: string): unknown;
  abstract keys(): readonly string[];
}

/** A value of a struct type, such as `Object.spec{…}`. */
export class CelObject extends Boxed {
  constructor(
    readonly typeName: string,
    readonly fields: Readonly<Record<string, unknown>>,
  ) {
    super();
  }
}

/** A type that the language knows nothing of, but that values may have: addresses, quantities, versions. */
export abstract class CelOpaque extends Boxed {
  /** False or true, or undefined where the two cannot be compared. */
  abstract equals(other: unknown): boolean | undefined;
  abstract readonly size: number;
  /** Whether the reference implementation holds it by a pointer, which some messages tell. */
  readonly isPointer: boolean = false;
}

/** What is no value: an error or an unknown. Operators pass it on, except `&&`, `||`, and the macros made of them. */
export abstract class Abnormal extends Boxed {}

export class CelError extends Abnormal {
  readonly typeName = 'error';
  constructor(readonly message: string) {
    super();
  }
}

/** Something that must be looked up first; merged where several meet, so that one round asks for all. */
export class CelUnknown extends Abnormal {
  readonly typeName = 'unknown';
  constructor(readonly needs: readonly unknown[]) {
    super();
  }
  merge(other: CelUnknown): CelUnknown {
    return new CelUnknown([...new Set([...this.needs, ...other.needs])]);
  }
}

export const noSuchOverload = new CelError('no such overload');

/** An operator or a function that has no form for these values. */
export function noOverload(name: string, ...args: readonly unknown[]): CelError {
  return new CelError(`no such overload: ${name}(${args.map(typeNameOf).join(', ')})`);
}

export function typeNameOf(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'number':
      return Number.isSafeInteger(value) ? 'int' : 'double';
    case 'bigint':
      return 'int';
    default:
      if (value === null || value === undefined) return 'null_type';
      if (Array.isArray(value)) return 'list';
      return value instanceof Boxed ? value.typeName : 'map';
  }
}

export function isInt(value: unknown): value is number | bigint {
  return typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint';
}

export function isDouble(value: unknown): value is number | CelDouble {
  return typeof value === 'number' ? !Number.isSafeInteger(value) : value instanceof CelDouble;
}

/** A plain object: a map with string keys. */
export function isPlainMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Boxed);
}

export const double = (value: number): number | CelDouble =>
  Number.isSafeInteger(value) ? new CelDouble(value) : value;

export const doubleOf = (value: number | CelDouble): number => (typeof value === 'number' ? value : value.value);
