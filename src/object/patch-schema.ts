/** The part of a kind's schema that determines how lists and objects merge. Structural: an OpenAPI schema fits. */
export interface PatchSchema {
  readonly properties?: Readonly<Record<string, PatchSchema>>;
  readonly items?: PatchSchema;
  readonly additionalProperties?: PatchSchema | boolean;
  /** Kubernetes' OpenAPI wraps a typed property that has extensions of its own in an `allOf` of one. */
  readonly allOf?: readonly PatchSchema[];
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

export interface PatchRule {
  readonly strategy: 'merge' | 'replace' | undefined;
  /** Empty where the elements have none, as in a list of finalizers. */
  readonly mergeKey: string;
  readonly schema: PatchSchema | undefined;
}

const unknownField: PatchRule = { strategy: undefined, mergeKey: '', schema: undefined };

/** How a field of an object merges. Fields that the schema does not know merge as objects and are replaced as lists. */
export function ruleOf(schema: PatchSchema | undefined, field: string): PatchRule {
  const child = fieldOf(schema, field);
  if (!child) return unknownField;
  // `merge,retainKeys`: the patch's own directive controls retainKeys, the other word is the strategy.
  const strategy = child['x-kubernetes-patch-strategy']?.split(',').find((word) => word !== 'retainKeys');
  return {
    strategy: strategy === 'merge' || strategy === 'replace' ? strategy : undefined,
    mergeKey: child['x-kubernetes-patch-merge-key'] ?? '',
    schema: resolve(child),
  };
}

export function elementSchema(schema: PatchSchema | undefined): PatchSchema | undefined {
  return resolve(schema?.items);
}

function fieldOf(schema: PatchSchema | undefined, field: string): PatchSchema | undefined {
  if (!schema) return undefined;
  if (schema.properties && Object.hasOwn(schema.properties, field)) return schema.properties[field];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}

function resolve(schema: PatchSchema | undefined): PatchSchema | undefined {
  if (!schema || schema.properties || schema.items || schema.additionalProperties) return schema;
  return schema.allOf?.[0] ?? schema;
}
