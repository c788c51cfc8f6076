import { getOwn } from '../../base/index.ts';
import { takeDirective } from './directive.ts';
import type { ListSchema } from './list-keys.ts';
import type { MergeContext } from './merge-context.ts';
import { mergeByKey } from './merge-list.ts';
import { fieldOf, isMissing, isNull, type MapTree, setField, type Tree, textOf, wrongKind } from './tree.ts';

/**
 * Kustomize's two-way merge of a patch into a resource, both changed in place. Returns the replacement of the resource,
 * undefined if it is deleted. New list elements are inserted at the front, together with those that the patch names.
 *
 * If the resource has no node at a position, it gets the node of the patch, and the merge continues with that node on
 * both sides. This resolves the directives and nulls inside it.
 */
export function merge(context: MergeContext): Tree | undefined {
  const { resource, patch } = context;
  const kind = (isMissing(resource) ? undefined : resource.kind) ?? (isMissing(patch) ? undefined : patch.kind);
  for (const side of [resource, patch]) {
    if (kind && !isMissing(side) && side.kind !== kind) throw wrongKind(kind, side);
  }
  if (kind === 'scalar') return patch ?? resource;
  if (kind === 'list')
    return context.field?.keys ? mergeByKey(context, context.field.keys, merge) : (patch ?? resource);
  return mergeMaps(context);
}

function mergeMaps(context: MergeContext): Tree | undefined {
  const { patch, listKeys } = context;
  const target = mergeTarget(context.resource, patch);
  if (target?.kind !== 'map') return target;
  const schema = context.field?.below ?? (context.inside ? undefined : ownSchema(context));
  const inside = context.inside || schema !== undefined;
  for (const key of sharedKeys(target, patch)) {
    const merged = merge({
      resource: fieldOf(target, key),
      patch: fieldOf(patch, key),
      field: schema && getOwn(schema, key),
      inside,
      listKeys,
    });
    setField(target, key, merged);
  }
  return target;
}

/** Which node is kept and filled: that of the resource, that of the patch, or none. */
function mergeTarget(resource: Tree | undefined, patch: Tree | undefined): Tree | undefined {
  if (isMissing(resource)) {
    if (patch === undefined) return resource && { kind: 'scalar', value: null, quoted: false, kept: true };
    return patch.kind === 'map' && isDeleted(patch) ? undefined : patch;
  }
  if (patch && isNull(patch)) return undefined;
  const directive = takeDirective(patch);
  if (directive === 'delete') return undefined;
  return directive === 'replace' ? patch : resource;
}

/** If there is nothing to patch, an unknown directive stays in the map like any other field. */
function isDeleted(patch: MapTree): boolean {
  const text = textOf(fieldOf(patch, '$patch') ?? { kind: 'scalar', value: '', quoted: true });
  if (text !== 'delete' && text !== 'replace' && text !== 'merge') return false;
  return takeDirective(patch) === 'delete';
}

/** An object with apiVersion and kind has its own schema: the resource itself, or an embedded one. */
function ownSchema({ resource, patch, listKeys }: MergeContext): ListSchema | undefined {
  for (const side of [resource, patch]) {
    const apiVersion = fieldOf(side, 'apiVersion');
    const kind = fieldOf(side, 'kind');
    if (!apiVersion || !kind || isNull(apiVersion) || isNull(kind)) continue;
    const schema = listKeys(textOf(apiVersion), textOf(kind));
    if (schema) return schema;
  }
  return undefined;
}

function sharedKeys(target: MapTree, patch: Tree | undefined): readonly string[] {
  const keys = new Set(target.fields.map((field) => field.key));
  if (patch?.kind === 'map') for (const { key } of patch.fields) keys.add(key);
  return [...keys].sort();
}
