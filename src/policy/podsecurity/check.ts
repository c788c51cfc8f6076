import type { Container, Pod } from './pod.ts';

export type BadValue = string | number | boolean | readonly string[];

/** One field that breaks a control. A forbidden field without a bad value is forbidden by being there. */
export interface FieldError {
  readonly field: string;
  readonly type: 'Forbidden' | 'Required';
  readonly badValue?: BadValue;
}

export interface Violation {
  readonly reason: string;
  readonly detail: string;
  /** Absent for a control that reports no fields; it cannot be excluded by field. */
  readonly errors?: readonly FieldError[];
}

/** Checks a pod against one control; undefined if there is no violation. */
export type CheckPod = (pod: Pod) => Violation | undefined;

export interface Check {
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** By the minor version they came with, ascending. The first also serves all versions before it, as upstream has it. */
  readonly versions: readonly { readonly minor: number; readonly check: CheckPod }[];
}

export const forbidden = (field: string, badValue?: BadValue): FieldError =>
  badValue === undefined ? { field, type: 'Forbidden' } : { field, type: 'Forbidden', badValue };

export const required = (field: string): FieldError => ({ field, type: 'Required' });

export const plural = (count: number, one: string, many: string): string => (count === 1 ? one : many);

export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

export const sortedSet = (items: Iterable<string>): readonly string[] => [...new Set(items)].sort();

/** `container "a"` or `containers "a", "b"`. */
export const namesOf = (containers: readonly Container[]): string =>
  `${plural(containers.length, 'container', 'containers')} ${quoted(containers.map((container) => container.name))}`;

/** The pod, the containers, or both, that set a forbidden value. */
export function settersOf(byPod: boolean, containers: readonly Container[]): string {
  const setters = byPod ? ['pod'] : [];
  if (containers.length > 0) setters.push(namesOf(containers));
  return setters.join(' and ');
}
