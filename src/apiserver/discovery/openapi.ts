import { createHash } from 'node:crypto';
import { renderJson } from '../../base/index.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import type { BuiltinData, RawSchema } from '../schema/index.ts';

/** The OpenAPI v3 documents, one per group and version, rendered on demand and cached until the catalog changes. */
export class OpenApi {
  private readonly documents = new Map<string, { readonly generation: number; readonly text: string }>();
  private readonly definitionOf: ReadonlyMap<string, string>;

  constructor(
    private readonly catalog: Catalog,
    private readonly builtin: BuiltinData,
  ) {
    this.definitionOf = new Map(
      builtin.kinds.map(({ group, version, kind, definition }) => [`${group}/${version}/${kind}`, definition]),
    );
  }

  index(): object {
    const paths: Record<string, object> = {};
    for (const path of new Set([...this.catalog.all()].map(pathOf))) {
      // Clients cache a document while its URL stays the same.
      const hash = createHash('sha256')
        .update(`${this.builtin.version} ${this.catalog.generation} ${path}`)
        .digest('hex');
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash.slice(0, 32).toUpperCase()}` };
    }
    return { paths };
  }

  /** `api/v1` or `apis/apps/v1`; undefined when nothing is served there. */
  document(path: string): string | undefined {
    const known = this.documents.get(path);
    if (known?.generation === this.catalog.generation) return known.text;
    const definitions = [...this.catalog.all()].filter((definition) => pathOf(definition) === path);
    if (definitions.length === 0) return undefined;
    const text = renderJson(this.render(definitions));
    this.documents.set(path, { generation: this.catalog.generation, text });
    return text;
  }

  private render(definitions: readonly ResourceDefinition[]): object {
    const schemas: Record<string, object> = {};
    const paths: Record<string, object> = {};
    for (const definition of definitions) {
      const name = this.addSchema(definition, schemas);
      Object.assign(paths, operationsOf(definition, name));
    }
    return {
      openapi: '3.0.0',
      info: { title: 'Supercargo embedded cluster', version: this.builtin.version },
      paths,
      components: { schemas },
    };
  }

  private addSchema(definition: ResourceDefinition, schemas: Record<string, object>): string {
    const { group, version, kind } = definition;
    const gvk = { 'x-kubernetes-group-version-kind': [{ group, version, kind }] };
    if (definition.custom) {
      const name = `${group.split('.').reverse().join('.')}.${version}.${kind}`;
      schemas[name] = { ...(definition.schema ?? { type: 'object' }), ...gvk };
      return name;
    }
    const name = this.definitionOf.get(`${group}/${version}/${kind}`) ?? kind;
    this.addDefinition(name, schemas);
    schemas[name] = { ...schemas[name], ...gvk };
    return name;
  }

  private addDefinition(name: string, schemas: Record<string, object>): void {
    if (name in schemas) return;
    schemas[name] = {};
    schemas[name] = publish(this.builtin.definitions[name] ?? {}, (reference) =>
      this.addDefinition(reference, schemas),
    );
  }
}

function pathOf({ group, version }: ResourceDefinition): string {
  return group === '' ? `api/${version}` : `apis/${group}/${version}`;
}

/** A recorded schema with its references in the published form. */
function publish(schema: unknown, onReference: (name: string) => void): object {
  if (Array.isArray(schema)) return schema.map((item) => publishValue(item, onReference));
  const { $ref, ...rest } = schema as RawSchema;
  const others = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, publishValue(value, onReference)]),
  );
  if (typeof $ref !== 'string') return others;
  onReference($ref);
  const reference = { $ref: `#/components/schemas/${$ref}` };
  return Object.keys(others).length === 0 ? reference : { allOf: [reference], ...others };
}

function publishValue(value: unknown, onReference: (name: string) => void): unknown {
  return typeof value === 'object' && value !== null ? publish(value, onReference) : value;
}

const parameter = (name: string, type = 'string') => ({ name, in: 'query', schema: { type, uniqueItems: true } });

const write = [parameter('dryRun'), parameter('fieldManager'), parameter('fieldValidation')];

/** Enough of the paths for a client to see which verbs support dryRun and fieldValidation. */
function operationsOf(definition: ResourceDefinition, schemaName: string): Record<string, object> {
  const { group, version, kind, resource, namespaced } = definition;
  const base = `/${pathOf(definition)}${namespaced ? '/namespaces/{namespace}' : ''}/${resource}`;
  const content = { 'application/json': { schema: { $ref: `#/components/schemas/${schemaName}` } } };
  const operation = (action: string, ...parameters: object[]) => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: { '200': { description: 'OK', content } },
  });
  return {
    [base]: {
      get: operation(
        'list',
        parameter('labelSelector'),
        parameter('fieldSelector'),
        parameter('limit', 'integer'),
        parameter('watch', 'boolean'),
      ),
      post: operation('post', ...write),
      delete: operation('deletecollection', parameter('dryRun')),
    },
    [`${base}/{name}`]: {
      get: operation('get'),
      put: operation('put', ...write),
      patch: operation('patch', ...write, parameter('force', 'boolean')),
      delete: operation('delete', parameter('dryRun'), parameter('propagationPolicy')),
    },
  };
}
