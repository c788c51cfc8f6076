import type { FunctionDecl, Overload } from '../environment.ts';
import { type CelType, listType, mapType, param } from '../types.ts';

/** Type parameters of the forms of functions. */
export const A = param('A');
export const B = param('B');
export const listOfA = listType(A);
export const mapOfAB = mapType(A, B);

/** A form that is called as a function. */
export function form(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
  return { id, isMember: false, args, result, ...(call ? { call } : {}) };
}

/** A form that is called on its first argument. */
export function member(id: string, args: readonly CelType[], result: CelType, call?: Overload['call']): Overload {
  return { id, isMember: true, args, result, ...(call ? { call } : {}) };
}

export function declare(name: string, ...overloads: readonly Overload[]): FunctionDecl {
  return { name, overloads };
}

/** A function with one implementation for all its forms; `accepts` tells which first arguments it has any form for. */
export function declareSingleton(
  name: string,
  singleton: NonNullable<FunctionDecl['singleton']>,
  accepts: FunctionDecl['accepts'],
  ...overloads: readonly Overload[]
): FunctionDecl {
  return { name, overloads, singleton, ...(accepts ? { accepts } : {}) };
}

/** All declarations as one table; forms of one name from several libraries come together, the first library first. */
export function merge(libraries: readonly (readonly FunctionDecl[])[]): ReadonlyMap<string, FunctionDecl> {
  const functions = new Map<string, FunctionDecl>();
  for (const declaration of libraries.flat()) {
    const known = functions.get(declaration.name);
    const overloads = [...(known?.overloads ?? []), ...declaration.overloads];
    functions.set(declaration.name, known ? { ...known, overloads } : declaration);
  }
  return functions;
}
