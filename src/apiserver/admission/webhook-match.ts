import { type GroupVersionResource, type KubeObject, type LabelMatcher, labelSelectorOf } from '../../object/index.ts';
import type { Attributes } from './attributes.ts';
import type { Rule, Webhook } from './webhook-config.ts';

/** Cluster state that matching needs besides the request. */
export interface MatchEnvironment {
  /** Labels of a namespace; undefined when it does not exist. */
  readonly namespaceLabels: (name: string) => Readonly<Record<string, string>> | undefined;
  /** The other served versions of a resource, for matchPolicy Equivalent. */
  readonly equivalents: (resource: GroupVersionResource) => readonly GroupVersionResource[];
}

/** The resource version in which the webhook gets the request; undefined when it does not match. */
export function matchWebhook(
  webhook: Webhook,
  attributes: Attributes,
  environment: MatchEnvironment,
): GroupVersionResource | undefined {
  const rules = webhook.rules ?? [];
  const wanted = rules.some((rule) => matchRule(rule, attributes, attributes.resource))
    ? attributes.resource
    : webhook.matchPolicy === 'Equivalent'
      ? environment
          .equivalents(attributes.resource)
          .find((resource) => rules.some((rule) => matchRule(rule, attributes, resource)))
      : undefined;
  if (!wanted) return undefined;
  if (!matchNamespace(webhook, attributes, environment)) return undefined;
  return matchObject(webhook, attributes) ? wanted : undefined;
}

/** Whether a rule is for an operation on a resource, which may be another version of the requested one. */
export function matchRule(rule: Rule, attributes: Attributes, resource: GroupVersionResource): boolean {
  return (
    matchScope(rule, attributes) &&
    includes(rule.operations, attributes.operation) &&
    includes(rule.apiGroups, resource.group) &&
    includes(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((pattern) => matchResource(pattern, resource.resource, attributes.subresource))
  );
}

const includes = (list: readonly string[] | undefined, value: string) =>
  (list ?? []).some((entry) => entry === '*' || entry === value);

function matchScope({ scope = '*' }: Rule, { namespaced, resource }: Attributes): boolean {
  if (scope === '*') return true;
  // A Namespace is cluster-scoped, although requests for it have its name as the namespace.
  const isCluster = !namespaced || (resource.group === '' && resource.resource === 'namespaces');
  return (scope === 'Cluster') === isCluster;
}

/** `pods`, `pods/status`, `pods/*`, `*`, `*` `/scale` and `*` `/*`: a pattern without a slash means no subresource. */
function matchResource(pattern: string, resource: string, subresource: string): boolean {
  const slash = pattern.indexOf('/');
  const wantedResource = slash === -1 ? pattern : pattern.slice(0, slash);
  const wantedSubresource = slash === -1 ? '' : pattern.slice(slash + 1);
  const resourceMatches = wantedResource === '*' || wantedResource === resource;
  return resourceMatches && (wantedSubresource === '*' || wantedSubresource === subresource);
}

export function matchNamespace(
  { namespaceSelector }: Pick<Webhook, 'namespaceSelector'>,
  attributes: Attributes,
  { namespaceLabels }: MatchEnvironment,
): boolean {
  if (isEverything(namespaceSelector)) return true;
  const isNamespace = attributes.resource.group === '' && attributes.resource.resource === 'namespaces';
  if (isNamespace && attributes.subresource === '' && attributes.operation !== 'DELETE') {
    return matcherOf(namespaceSelector)(attributes.object?.metadata.labels);
  }
  if (!attributes.namespaced && !isNamespace) return true;
  return matcherOf(namespaceSelector)(namespaceLabels(isNamespace ? attributes.name : attributes.namespace));
}

export function matchObject(
  { objectSelector }: Pick<Webhook, 'objectSelector'>,
  { object, oldObject }: Attributes,
): boolean {
  if (isEverything(objectSelector)) return true;
  const matches = matcherOf(objectSelector);
  const matchesObject = (candidate: KubeObject | undefined) =>
    candidate !== undefined && matches(candidate.metadata.labels);
  return matchesObject(object) || matchesObject(oldObject);
}

function isEverything(selector: Webhook['namespaceSelector'] | undefined): boolean {
  return (
    !selector ||
    (Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0)
  );
}

const matchers = new WeakMap<object, LabelMatcher>();

function matcherOf(selector: Webhook['namespaceSelector']): LabelMatcher {
  let matcher = matchers.get(selector);
  if (!matcher) matchers.set(selector, (matcher = labelSelectorOf(selector)));
  return matcher;
}
