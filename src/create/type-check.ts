import { isJsonObject, type YamlDocument } from '../base/index.ts';
import { type GroupVersionKind, parseApiVersion, validateDnsLabel, validateDnsSubdomain } from '../object/index.ts';

/** The part of a kind's schema that types need. Schemas refer to each other and may be recursive. */
export interface TypeSchema {
  readonly type?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly properties?: Readonly<Record<string, TypeSchema>> | undefined;
  readonly additionalProperties?: TypeSchema | boolean | undefined;
  readonly items?: TypeSchema | undefined;
  readonly required?: readonly string[] | undefined;
  readonly definition?: string | undefined;
  readonly 'x-kubernetes-int-or-string'?: boolean | undefined;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean | undefined;
}

/** The schema of a kind; undefined for unknown kinds, which are left to the server. */
export type SchemaOf = (gvk: GroupVersionKind) => TypeSchema | undefined;

interface TypeCheckOptions {
  /** Accepts fields that the schema does not have: another check knows better, such as the server in a dry run. */
  readonly allowsUnknown?: boolean | undefined;
}

/** Type errors of one document. Each begins with `:line: ` and the path. */
export function findTypeErrors(
  { value, line }: YamlDocument,
  schemaOf: SchemaOf,
  { allowsUnknown = false }: TypeCheckOptions = {},
): readonly string[] {
  const at = `:${line}: `;
  if (!isJsonObject(value)) return [`${at}a manifest is an object, not ${nameOf(value)}`];
  const { apiVersion, kind } = value;
  // Helm values, kustomizations without a kind and similar files: YAML without a known schema.
  if (apiVersion === undefined && kind === undefined) return [];
  const errors: string[] = [];
  for (const [name, given] of Object.entries({ apiVersion, kind }))
    if (typeof given !== 'string' || given === '') errors.push(`${name}: ${expectation(given, 'string')}`);
  if (errors.length === 0) {
    const gvk = { ...parseApiVersion(apiVersion as string), kind: kind as string };
    const schema = schemaOf(gvk);
    if (schema) walk(value, { schema, path: '', errors, allowsUnknown });
    else checkMetadata(value['metadata'], errors);
    checkName(value['metadata'], gvk, errors);
  }
  return errors.map((error) => `${at}${error}`);
}

/** Labels and annotations are strings in every kind. */
const textMap: TypeSchema = { type: 'object', additionalProperties: { type: 'string' } };
const metadataSchema: TypeSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, namespace: { type: 'string' }, labels: textMap, annotations: textMap },
};

function checkMetadata(metadata: unknown, errors: string[]): void {
  if (metadata !== undefined) walk(metadata, { schema: metadataSchema, path: 'metadata', errors, allowsUnknown: true });
}

/** Names that the API server rejects for any kind, and for kinds with their own rules. */
function checkName(metadata: unknown, { group, kind }: GroupVersionKind, errors: string[]): void {
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  if (typeof name !== 'string') return;
  const issues = nameRuleOf(group, kind)(name);
  if (issues.length > 0) errors.push(`metadata.name: ${JSON.stringify(name)} is no name: ${issues.join('; ')}`);
}

function nameRuleOf(group: string, kind: string): (name: string) => readonly string[] {
  if (group === '' && (kind === 'Namespace' || kind === 'Service')) return validateDnsLabel;
  if (!pathNamed.has(group)) return validateDnsSubdomain;
  return (name) => (/^\.{1,2}$|[/%]/.test(name) || name === '' ? ['it cannot be a part of a path'] : []);
}

/** RBAC names may contain colons and capitals. */
const pathNamed: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'certificates.k8s.io',
]);

const maxErrors = 20;

interface Walk {
  readonly schema: TypeSchema;
  readonly path: string;
  readonly errors: string[];
  readonly allowsUnknown: boolean;
}

function walk(value: unknown, at: Walk): void {
  const { schema, path, errors } = at;
  // The server drops null values.
  if (value === null || errors.length >= maxErrors) return;
  const type = typeOf(schema);
  if (type === undefined) return;
  if (!fits(value, type)) {
    errors.push(`${path}: ${expectation(value, type)}`);
    return;
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [i, item] of value.entries()) walk(item, { ...at, schema: items, path: `${path}[${i}]` });
  } else if (isJsonObject(value)) walkObject(value, at);
}

function walkObject(value: Readonly<Record<string, unknown>>, place: Walk): void {
  const { schema, path, errors } = place;
  const { properties = {}, additionalProperties } = schema;
  // An object schema without named fields allows any field.
  const isOpen = place.allowsUnknown || schema.properties === undefined || isPreserved(schema);
  for (const [name, field] of Object.entries(value)) {
    const at = path === '' ? name : /^[\w-]+$/.test(name) ? `${path}.${name}` : `${path}[${JSON.stringify(name)}]`;
    if (Object.hasOwn(properties, name)) walk(field, { ...place, schema: properties[name]!, path: at });
    else if (typeof additionalProperties === 'object')
      walk(field, { ...place, schema: additionalProperties, path: at });
    else if (!isOpen && additionalProperties !== true) errors.push(`${at}: is no field of this kind`);
  }
  for (const name of schema.required ?? [])
    if (value[name] === undefined) errors.push(`${path === '' ? name : `${path}.${name}`}: is required`);
}

const isPreserved = (schema: TypeSchema) => schema['x-kubernetes-preserve-unknown-fields'] === true;

type Type = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'int-or-string' | 'quantity';

const quantity = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

function typeOf(schema: TypeSchema): Type | undefined {
  if (schema.definition === quantity) return 'quantity';
  if (schema['x-kubernetes-int-or-string']) return 'int-or-string';
  // The published type is string, but a number is accepted.
  if (schema.definition?.endsWith('.IntOrString')) return 'int-or-string';
  return schema.type as Type | undefined;
}

function fits(value: unknown, type: Type): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint';
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'bigint' || Number.isInteger(value);
    case 'quantity':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
  }
}

const names: Readonly<Record<Type, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  'int-or-string': 'a whole number or text',
  quantity: 'a quantity',
};

/** YAML has already dropped the last digit of a tag such as 1.10. The fix is to quote it. */
function expectation(value: unknown, type: Type): string {
  const shown = typeof value === 'object' || value === undefined ? '' : `${value} is `;
  const isScalar = shown !== '' && typeof value !== 'string';
  const advice = type === 'string' && isScalar ? ': put quotes around it in the template, or use | quote' : '';
  return `${shown}${nameOf(value)} where ${names[type]} belongs${advice}`;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return 'text';
  return typeof value === 'boolean' ? 'a boolean' : 'a number';
}
