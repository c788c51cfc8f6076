import { type CelType, dynType, isDyn, isDynOrError, listType, mapType, sameType, typeType } from '../types.ts';

/** What the type parameters of an expression stand for so far; attempts that fail leave no trace. */
export class Substitutions {
  private readonly bound = new Map<string, CelType>();
  private readonly trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  find(type: CelType): CelType | undefined {
    return type.kind === 'param' ? this.bound.get(type.name) : undefined;
  }

  bind(type: CelType, to: CelType): void {
    this.trail.push({ name: type.name, before: this.bound.get(type.name) });
    this.bound.set(type.name, to);
  }

  /** True when each type is assignable to the one at its place; binds parameters only then. */
  attempt(from: readonly CelType[], to: readonly CelType[]): boolean {
    const mark = this.trail.length;
    if (assignableAll(this, from, to)) return true;
    while (this.trail.length > mark) {
      const { name, before } = this.trail.pop() as { name: string; before: CelType | undefined };
      if (before === undefined) this.bound.delete(name);
      else this.bound.set(name, before);
    }
    return false;
  }

  /** The type with its parameters replaced; those that stand for nothing stay, or become dyn. */
  apply(type: CelType, isFinal: boolean): CelType {
    const bound = this.find(type);
    if (bound !== undefined) return this.apply(bound, isFinal);
    if (type.kind === 'param') return isFinal ? dynType : type;
    if (type.params.length === 0) return type;
    const params = type.params.map((each) => this.apply(each, isFinal));
    if (params.every((each, i) => each === type.params[i])) return type;
    if (type.kind === 'list') return listType(params[0] as CelType);
    if (type.kind === 'map') return mapType(params[0] as CelType, params[1] as CelType);
    return type.kind === 'type' ? typeType(params[0] as CelType) : { ...type, params };
  }
}

function assignableAll(known: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => assignable(known, type, to[i] as CelType));
}

function assignable(known: Substitutions, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { isValid, isBound } = substitutes(known, a, b);
    if (isValid) return true;
    if (isBound) return false;
  }
  if (a.kind === 'param') return substitutes(known, b, a).isValid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null') return isNullable(b);
  if (b.kind === 'null') return isNullable(a);
  switch (a.kind) {
    case 'type':
      return b.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && assignableAll(known, a.params, b.params);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

const nullable: ReadonlySet<CelType['kind']> = new Set(['null', 'opaque', 'struct', 'duration', 'timestamp']);
const isNullable = ({ kind }: CelType) => nullable.has(kind);

/** Whether the parameter `b` can stand for `a`. */
function substitutes(known: Substitutions, a: CelType, b: CelType): { isValid: boolean; isBound: boolean } {
  if (a.kind === b.kind && sameType(a, b)) return { isValid: true, isBound: true };
  const bound = known.find(b);
  if (bound !== undefined) {
    if (sameType(a, bound)) return { isValid: true, isBound: true };
    if (!assignable(known, a, bound)) return { isValid: false, isBound: true };
    const general = mostGeneral(a, bound);
    if (!occursIn(known, b, general)) known.bind(b, general);
    return { isValid: true, isBound: true };
  }
  if (occursIn(known, b, a)) return { isValid: false, isBound: false };
  known.bind(b, a);
  return { isValid: true, isBound: false };
}

function occursIn(known: Substitutions, type: CelType, within: CelType): boolean {
  if (sameType(type, within)) return true;
  if (within.kind === 'param') {
    const bound = known.find(within);
    return bound !== undefined && occursIn(known, type, bound);
  }
  return within.params.some((each) => occursIn(known, type, each));
}

/** The more general of two types that are known to unify. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isLessSpecific(a, b) ? a : b;
}

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'opaque':
    case 'list':
    case 'map':
      if (a.name !== b.name || a.params.length !== b.params.length) return false;
      return a.params.every((type, i) => isLessSpecific(type, b.params[i] as CelType));
    case 'type':
      return true;
    default:
      return sameType(a, b);
  }
}
