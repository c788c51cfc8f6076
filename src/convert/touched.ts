import type { Place } from './place.ts';

/** A place that a rule reads, with values that may make a difference there. */
export interface Touched {
  readonly place: Place;
  readonly values: readonly unknown[];
}

/** Collects what a rule reads while it is converted, so that the conversion can be tried on objects that matter. */
export class TouchedPlaces {
  readonly all: Touched[] = [];
  readonly users: string[] = [];
  readonly groups: string[] = [];

  add(place: Place, ...values: readonly unknown[]): void {
    const known = values.filter((value) => typeof value !== 'string' || !value.includes('{{'));
    this.all.push({ place, values: known });
  }

  addSubjects(
    subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[],
  ): void {
    for (const { kind, name, namespace = '' } of subjects) {
      const text = name.replaceAll('*', 'any').replaceAll('?', 'x');
      if (kind === 'Group') this.groups.push(text);
      else this.users.push(kind === 'User' ? text : `system:serviceaccount:${namespace}:${text}`);
    }
  }
}
