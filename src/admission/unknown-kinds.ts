import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { GroupVersionKind } from '../object/index.ts';
import { compileKinds } from '../policy/index.ts';

/** A kind that a policy names and the cluster does not serve. */
export interface UnknownKind {
  /** `spec.rules[0].match`. */
  readonly path: string;
  readonly kind: string;
}

/** Kinds of the bodies of subresources: discovery lists them with the resource, not as kinds of their own. */
const subresourceKinds: ReadonlySet<string> = new Set([
  'Binding',
  'Eviction',
  'NodeProxyOptions',
  'PodAttachOptions',
  'PodExecOptions',
  'PodPortForwardOptions',
  'PodProxyOptions',
  'Scale',
  'ServiceProxyOptions',
  'TokenRequest',
]);

/**
 * Kinds in match, exclude, targets and generate that the cluster does not serve: misspelt, or of a CRD that is not
 * installed. A rule that names only such kinds has no effect.
 */
export function findUnknownKinds(spec: unknown, served: readonly GroupVersionKind[]): readonly UnknownKind[] {
  const rules = isJsonObject(spec) && Array.isArray(spec['rules']) ? spec['rules'] : [];
  const named = rules.flatMap((rule, index) => (isJsonObject(rule) ? namedKinds(rule, `spec.rules[${index}]`) : []));
  return named.filter(({ kind }) => !kind.includes('{{') && !isServed(kind, served)).slice(0, maxReported);
}

const maxReported = 20;

export function renderUnknownKind({ path, kind }: UnknownKind): string {
  return `${path}: this cluster serves no kind ${kind}: correct its spelling, or install its definition`;
}

/** By the list that discovery returned, which stays the same until it has fetched another. */
const known = new WeakMap<readonly GroupVersionKind[], LRUCache<string, boolean>>();
const maxKnown = 1_000;

function isServed(kind: string, served: readonly GroupVersionKind[]): boolean {
  let answers = known.get(served);
  if (!answers) known.set(served, (answers = new LRUCache({ max: maxKnown })));
  let answer = answers.get(kind);
  if (answer === undefined) answers.set(kind, (answer = findServed(kind, served)));
  return answer;
}

function findServed(kind: string, served: readonly GroupVersionKind[]): boolean {
  const matches = compileKinds([kind]);
  const last = kind.split(/[/.]/).at(-1) ?? '';
  return subresourceKinds.has(last) || served.some((gvk) => matches(gvk, '') || matches(gvk, last));
}

type Rule = JsonObject;

function namedKinds(rule: Rule, at: string): readonly UnknownKind[] {
  const blocks = ['match', 'exclude'].flatMap((name) => {
    const block = rule[name];
    if (!isJsonObject(block)) return [];
    const filters = [block, ...['any', 'all'].flatMap((key) => listOf(block[key]))];
    return filters.flatMap((filter) => {
      const resources = isJsonObject(filter) ? filter['resources'] : undefined;
      const kinds = isJsonObject(resources) ? listOf(resources['kinds']) : [];
      return kinds.flatMap((kind) => (typeof kind === 'string' ? [{ path: `${at}.${name}`, kind }] : []));
    });
  });
  const mutate = isJsonObject(rule['mutate']) ? listOf(rule['mutate']['targets']) : [];
  const generate = isJsonObject(rule['generate']) ? rule['generate'] : {};
  return [
    ...blocks,
    ...mutate.flatMap((target) => targetKind(target, `${at}.mutate.targets`)),
    ...targetKind(generate, `${at}.generate`),
    ...listOf(generate['foreach']).flatMap((target) => targetKind(target, `${at}.generate.foreach`)),
  ];
}

function targetKind(target: unknown, path: string): readonly UnknownKind[] {
  if (!isJsonObject(target) || typeof target['kind'] !== 'string' || target['kind'] === '') return [];
  const { apiVersion, kind } = target;
  return [{ path, kind: typeof apiVersion === 'string' && apiVersion.includes('/') ? `${apiVersion}/${kind}` : kind }];
}

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
