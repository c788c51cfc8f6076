import { setOwn } from '../base/index.ts';
import { type GroupVersionKind, renderGvk } from '../object/index.ts';
import type { Schema } from './types.ts';

/** A schema node as it is published: references by name, not yet linked. */
export interface RawSchema {
  readonly $ref?: string;
  readonly allOf?: readonly RawSchema[];
  readonly [keyword: string]: unknown;
}

interface BuiltinKind extends GroupVersionKind {
  /** The definition's name: `io.k8s.api.core.v1.Pod`. */
  readonly definition: string;
}

interface BuiltinSubresource extends GroupVersionKind {
  readonly name: string;
  readonly verbs: readonly string[];
}

/** One resource that the real server serves without any CRD. */
interface BuiltinResource extends GroupVersionKind {
  readonly resource: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources?: readonly BuiltinSubresource[];
}

/** What is recorded from a real server of the pinned version. */
export interface BuiltinData {
  readonly version: string;
  readonly definitions: Readonly<Record<string, RawSchema>>;
  readonly kinds: readonly BuiltinKind[];
  readonly resources: readonly BuiltinResource[];
}

export interface LinkedSchemas {
  readonly version: string;
  readonly resources: readonly BuiltinResource[];
  /** The schema of a built-in kind. Linked when first asked for, the same object ever after. */
  schemaOf(gvk: GroupVersionKind): Schema | undefined;
  /** The schema of a definition by its full name. */
  definition(name: string): Schema | undefined;
}

export const objectMetaDefinition = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/**
 * Makes a graph out of named references. Definitions are linked one by one as they are needed, so start-up
 * costs next to nothing; `data` is not changed.
 */
export function linkSchemas(data: BuiltinData): LinkedSchemas {
  const linker = new Linker(data.definitions);
  const byKind = new Map(data.kinds.map((kind) => [renderGvk(kind), kind.definition]));
  return {
    version: data.version,
    resources: data.resources,
    schemaOf(gvk) {
      const name = byKind.get(renderGvk(gvk));
      return name === undefined ? undefined : linker.definition(name);
    },
    definition: (name) => linker.definition(name),
  };
}

type Draft = { -readonly [K in keyof Schema]: Schema[K] };

class Linker {
  private readonly linked = new Map<string, Draft>();
  private readonly variants = new Map<string, Draft>();
  /** Nodes that are a definition plus siblings: completed once the definition itself is. */
  private readonly pending: { node: Draft; target: Draft; siblings: Draft }[] = [];
  private depth = 0;

  constructor(private readonly raw: Readonly<Record<string, RawSchema>>) {}

  definition(name: string): Schema | undefined {
    const known = this.linked.get(name);
    if (known) return known;
    const raw = Object.hasOwn(this.raw, name) ? this.raw[name] : undefined;
    if (!raw) return undefined;
    const draft: Draft = {};
    this.linked.set(name, draft);
    this.depth++;
    Object.assign(draft, this.node(raw));
    draft.definition = name;
    // Published as an object without fields: a type that carries any JSON (RawExtension, FieldsV1, a CRD's JSON).
    if (isOpaque(draft)) draft['x-kubernetes-preserve-unknown-fields'] = true;
    this.depth--;
    if (this.depth === 0) this.complete();
    return draft;
  }

  private complete(): void {
    for (const { node, target, siblings } of this.pending) Object.assign(node, target, siblings);
    this.pending.length = 0;
  }

  private node(raw: RawSchema): Draft {
    const reference = referenceOf(raw);
    return reference === undefined ? this.inline(raw) : this.reference(raw, reference);
  }

  private reference(raw: RawSchema, name: string): Draft {
    const target = this.definition(name) as Draft | undefined;
    // An unknown definition accepts anything: dropping fields that we merely do not know would lose data.
    if (!target) return { 'x-kubernetes-preserve-unknown-fields': true };
    const { $ref: _, allOf: __, description: ___, ...siblings } = raw;
    if (Object.keys(siblings).length === 0) return target;
    const key = `${name} ${JSON.stringify(siblings)}`;
    let node = this.variants.get(key);
    if (!node) {
      node = {};
      this.variants.set(key, node);
      this.pending.push({ node, target, siblings: this.inline(siblings) });
    }
    return node;
  }

  private inline(raw: RawSchema): Draft {
    const draft = { ...raw } as Draft & { description?: unknown };
    delete draft.description;
    if (isMap(raw['properties'])) draft.properties = this.map(raw['properties']);
    if (isMap(raw['items'])) draft.items = this.node(raw['items']);
    if (isMap(raw['additionalProperties'])) draft.additionalProperties = this.node(raw['additionalProperties']);
    if (isMap(raw['not'])) draft.not = this.node(raw['not']);
    for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
      const branches = raw[junctor];
      if (Array.isArray(branches)) draft[junctor] = branches.map((branch) => this.node(branch as RawSchema));
    }
    return draft;
  }

  private map(raw: Readonly<Record<string, unknown>>): Record<string, Schema> {
    const linked: Record<string, Schema> = {};
    for (const key of Object.keys(raw)) setOwn(linked, key, this.node(raw[key] as RawSchema));
    return linked;
  }
}

function isOpaque({ type, properties, additionalProperties, oneOf }: Schema): boolean {
  return (type === undefined || type === 'object') && !properties && !additionalProperties && !oneOf;
}

const prefix = /^#\/(components\/schemas|definitions)\//;

/** The definition a node stands for: a bare reference, or one wrapped so that siblings can stand beside it. */
function referenceOf(raw: RawSchema): string | undefined {
  const only = raw.allOf?.length === 1 ? raw.allOf[0] : undefined;
  const reference = raw.$ref ?? only?.$ref;
  return reference?.replace(prefix, '');
}

function isMap(value: unknown): value is RawSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
