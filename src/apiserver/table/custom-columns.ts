import { isJsonObject, type Json, renderJson } from '../../base/index.ts';
import { renderAge } from './human-duration.ts';
import { compileJsonPath, type JsonPath } from './json-path.ts';
import { JsonPathError } from './json-path-error.ts';
import { nameColumn, type Printer } from './printer.ts';
import type { Cell, CustomColumn } from './types.ts';

/** What a CRD version without columns of its own gets. */
const defaultColumns: readonly CustomColumn[] = [
  {
    name: 'Age',
    type: 'date',
    jsonPath: '.metadata.creationTimestamp',
    description: 'Time since the object was created.',
  },
];

/**
 * The printer of a custom resource: NAME, then the columns its CRD asks for. A column whose path leads nowhere,
 * to a value of another type, or does not fit the object, is empty: a table never fails for one odd object.
 * Throws JsonPathError when a path cannot be read.
 */
export function compileCustomColumns(given: readonly CustomColumn[]): Printer {
  const columns = (given.length > 0 ? given : defaultColumns).map((column) => ({
    type: column.type,
    path: compileJsonPath(column.jsonPath),
    definition: {
      name: column.name,
      type: column.type,
      format: column.format ?? '',
      description: column.description || `Value of ${column.jsonPath} in the object.`,
      priority: column.priority ?? 0,
    },
  }));
  return {
    columns: [nameColumn, ...columns.map((column) => column.definition)],
    cells: (object, now) => [
      object.metadata.name ?? '',
      ...columns.map(({ type, path }) => cellOf(firstOf(path, object), type, now)),
    ],
  };
}

/** The API server shows the first result only, even where a path leads to several. */
function firstOf(path: JsonPath, object: unknown): unknown {
  try {
    return path(object)[0];
  } catch (thrown) {
    if (thrown instanceof JsonPathError) return undefined;
    throw thrown;
  }
}

function cellOf(value: unknown, type: string, now: number): Cell {
  if (value === undefined) return null;
  switch (type) {
    case 'string':
      return renderText(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : typeof value === 'bigint' ? value : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(Date.parse(value)) ? '<invalid>' : renderAge(value, now);
    default:
      return null;
  }
}

function renderText(value: unknown): string {
  if (value === null) return '<no value>';
  if (typeof value !== 'object') return String(value);
  return renderJson(sorted(value as Json)).replaceAll(/[<>&]/g, escapeHtml);
}

// Go's encoder sorts the keys and escapes what HTML would read.
const escapeHtml = (c: string) => `\\u00${c.charCodeAt(0).toString(16)}`;

function sorted(value: Json | undefined): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
