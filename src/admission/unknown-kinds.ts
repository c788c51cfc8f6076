import { LRUCache } from 'lru-cache';
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { type GroupVersionKind, renderApiVersion } from '../object/index.ts';
import { compileKinds } from '../policy/index.ts';

/** A kind that a policy names and the cluster does not serve; policies of expressions name resources. */
export interface UnknownKind {
  /** `spec.rules[0].match`. */
  readonly path: string;
  readonly type: 'kind' | 'resource';
  readonly name: string;
}

export interface ServedType extends GroupVersionKind {
  /** The plural. */
  readonly resource: string;
  readonly subresources: readonly string[];
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
 * Kinds in match, exclude, targets and generate, and resources in constraints, that the cluster does not serve:
 * misspelt, or of a CRD that is not installed. A rule that names only such kinds has no effect.
 */
export function findUnknownKinds(spec: unknown, served: readonly ServedType[]): readonly UnknownKind[] {
  if (!isJsonObject(spec)) return [];
  const rules = listOf(spec['rules']).flatMap((rule, index) =>
    isJsonObject(rule) ? namedKinds(rule, `spec.rules[${index}]`) : [],
  );
  const kinds = rules.filter(({ name }) => !name.includes('{{') && !isServed(name, served));
  const resources = ['matchConstraints', 'targetMatchConstraints'].flatMap((field) =>
    unknownResources(spec[field], `spec.${field}`, served),
  );
  return [...kinds, ...resources].slice(0, maxReported);
}

const maxReported = 20;

export function renderUnknownKind({ path, type, name }: UnknownKind): string {
  return `${path}: this cluster serves no ${type} ${name}: correct its spelling, or install its definition`;
}

/** A resource is known if any of the groups has it: a rule may name several of each. */
function unknownResources(constraints: unknown, at: string, served: readonly ServedType[]): readonly UnknownKind[] {
  if (!isJsonObject(constraints)) return [];
  return ['resourceRules', 'excludeResourceRules'].flatMap((field) =>
    listOf(constraints[field]).flatMap((rule, index) => {
      if (!isJsonObject(rule)) return [];
      const [groups, versions, resources] = ['apiGroups', 'apiVersions', 'resources'].map((key) => textsOf(rule[key]));
      if (!groups?.length || !versions?.length) return [];
      const candidates = served.filter(({ group, version }) => names(groups, group) && names(versions, version));
      const places = groups.flatMap((group) => versions.map((version) => renderApiVersion({ group, version })));
      return (resources ?? [])
        .filter((resource) => !candidates.some((type) => isOfResource(resource, type)))
        .map(
          (resource): UnknownKind => ({
            path: `${at}.${field}[${index}]`,
            type: 'resource',
            name: `${resource} of ${places.slice(0, maxPlaces).join(', ')}`,
          }),
        );
    }),
  );
}

const maxPlaces = 5;

function isOfResource(named: string, { resource, subresources }: ServedType): boolean {
  const [plural = '', subresource] = named.split('/');
  if (plural !== '*' && plural !== resource) return false;
  return subresource === undefined || subresource === '*' || subresources.includes(subresource);
}

const names = (list: readonly string[], one: string) => list.includes('*') || list.includes(one);

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
      return kinds.flatMap((kind) => (typeof kind === 'string' ? [ofKind(`${at}.${name}`, kind)] : []));
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
  return [ofKind(path, typeof apiVersion === 'string' && apiVersion.includes('/') ? `${apiVersion}/${kind}` : kind)];
}

const ofKind = (path: string, name: string): UnknownKind => ({ path, type: 'kind', name });
const textsOf = (value: Json | undefined) => listOf(value).filter((item) => typeof item === 'string');

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
