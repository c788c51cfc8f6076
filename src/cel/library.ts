import { CelOpaque } from './values/values.ts';

/** What the functions of a policy's libraries may use: one per evaluation, made by whoever evaluates. */
export interface LibraryHost {
  /** The time of the request, in milliseconds: expressions see no other clock. */
  now(): number;
  /** Between 0 and 1; repeatable for one object. */
  random(): number;
}

/** A library as a variable: what its functions are called on, as in `time.now()`. */
export class CelLibrary extends CelOpaque {
  readonly size = 1;
  constructor(
    readonly typeName: string,
    readonly host: LibraryHost,
  ) {
    super();
  }
  equals(other: unknown): boolean {
    return this === other;
  }
}
