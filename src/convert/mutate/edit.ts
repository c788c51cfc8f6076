import type { Bool } from '../bool.ts';
import type { Place } from '../place.ts';

/** A change of the object at one place. Both forms of a mutation are written from it. */
export type Edit =
  /** The value is written, whatever is there; with `ifAbsent` only where nothing is. */
  | { readonly kind: 'set'; readonly value: unknown; readonly ifAbsent: boolean; readonly path: string }
  | { readonly kind: 'remove' }
  /** Fields of a map are changed; without the map it is made. With `ifAbsent` only where it is not there. */
  | { readonly kind: 'map'; readonly fields: ReadonlyMap<string, Edit>; readonly ifAbsent: boolean }
  /** Every element of a list for which the condition holds is changed. A list that is required must be there. */
  | {
      readonly kind: 'each';
      readonly element: ElementPlace;
      readonly condition: Bool;
      readonly edit: Edit;
      readonly key: string;
      readonly isDescending: boolean;
      readonly isRequired: boolean;
    }
  /** Elements of a list with a key are changed, or put before the others. */
  | { readonly kind: 'elements'; readonly elements: readonly KeyedElement[] }
  /** One element is put into a list: at the end, or before the one with the index. */
  | { readonly kind: 'insert'; readonly index: number | 'end'; readonly value: unknown; readonly path: string }
  /** The element with an index is changed; -1 is the last. */
  | { readonly kind: 'at'; readonly index: number; readonly edit: Edit };

export type ElementPlace = Place & { readonly variable: string };

export interface KeyedElement {
  readonly key: string;
  /** As it is written. */
  readonly id: unknown;
  readonly edit: Extract<Edit, { readonly kind: 'map' }>;
  readonly path: string;
}

/** A mutation of a MutatingPolicy. */
export type WrittenMutation =
  | { readonly patchType: 'ApplyConfiguration'; readonly applyConfiguration: { readonly expression: string } }
  | { readonly patchType: 'JSONPatch'; readonly jsonPatch: { readonly expression: string } };
