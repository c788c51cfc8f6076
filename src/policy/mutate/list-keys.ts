import table from './generated/list-keys.json' with { type: 'json' };

/** How the schema of a kind merges the fields of an object. */
export interface ListSchema {
  readonly [field: string]: ListField;
}

export interface ListField {
  /** Set for a list that merges; without a key for a list of scalars, such as finalizers. */
  readonly keys?: readonly string[];
  /** The schema of the object, or of the list's elements. */
  readonly below?: ListSchema;
}

/** Finds the schema of a kind; undefined for kinds that are not built in, whose lists are replaced. */
export type ListKeys = (apiVersion: string, kind: string) => ListSchema | undefined;

interface TableField {
  readonly keys?: readonly string[];
  readonly type?: string;
}

const types: Readonly<Record<string, Readonly<Record<string, TableField>>>> = table.types;
const kinds = new Map(Object.entries(table.kinds));
const schemas = new Map<string, ListSchema>();

function schemaOf(type: string): ListSchema {
  const known = schemas.get(type);
  if (known) return known;
  // Without a prototype, because field names come from resources.
  const schema: Record<string, ListField> = Object.create(null);
  schemas.set(type, schema);
  for (const [name, field] of Object.entries(types[type] ?? {})) {
    schema[name] = {
      ...(field.keys && { keys: field.keys }),
      ...(field.type !== undefined && { below: schemaOf(field.type) }),
    };
  }
  return schema;
}

/** The lists of the built-in kinds, of the Kubernetes version whose schemas Kyverno uses. */
export const builtInListKeys: ListKeys = (apiVersion, kind) => {
  const type = kinds.get(`${apiVersion}/${kind}`);
  return type === undefined ? undefined : schemaOf(type);
};
