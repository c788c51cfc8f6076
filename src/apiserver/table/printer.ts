import type { KubeObject } from '../../object/index.ts';
import { renderAge } from './human-duration.ts';
import type { Cell, TableColumn, TableRowCondition } from './types.ts';

/** How one kind is printed. Cells stand in the order of the columns, wide ones included: clients leave those out. */
export interface Printer {
  readonly columns: readonly TableColumn[];
  cells(object: KubeObject, now: number): readonly Cell[];
  conditions?(object: KubeObject): readonly TableRowCondition[] | undefined;
}

export type Age = (timestamp: string | null | undefined) => string;

/** The store checked the object against its schema; this is the one place where it gets its kind's type. */
export function printerOf<T>(
  columns: readonly TableColumn[],
  cells: (object: T, age: Age, now: number) => readonly Cell[],
): Printer {
  return {
    columns,
    cells: (object, now) => cells(object as unknown as T, (timestamp) => renderAge(timestamp, now), now),
  };
}

export function text(name: string, description: string, priority = 0): TableColumn {
  return { name, type: 'string', format: '', description, priority };
}
export function wide(name: string, description: string): TableColumn {
  return text(name, description, 1);
}
export function integer(name: string, description: string): TableColumn {
  return { ...text(name, description), type: 'integer' };
}
export function boolean(name: string, description: string): TableColumn {
  return { ...text(name, description), type: 'boolean' };
}

export const nameColumn: TableColumn = { ...text('Name', 'Unique within its namespace and kind.'), format: 'name' };
export const ageColumn: TableColumn = text('Age', 'Time since the object was created.');

export const templateColumns: readonly TableColumn[] = [
  wide('Containers', 'Names of the containers in the pod template.'),
  wide('Images', 'Images of the containers in the pod template.'),
];
export const selectorColumn = wide('Selector', 'Labels by which pods are selected.');

export const nameOf = (object: { readonly metadata?: { readonly name?: string } }): string =>
  object.metadata?.name ?? '';
export const createdOf = (object: { readonly metadata?: { readonly creationTimestamp?: string } }) =>
  object.metadata?.creationTimestamp;
