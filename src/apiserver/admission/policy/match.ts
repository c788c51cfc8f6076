import type { GroupVersionResource } from '../../../object/index.ts';
import type { Attributes } from '../attributes.ts';
import { type MatchEnvironment, matchNamespace, matchObject, matchRule } from '../webhook-match.ts';
import type { MatchResources } from './types.ts';

/** The resource version in which a policy gets the request; undefined when it is not for it. */
export function matchPolicy(
  match: MatchResources,
  attributes: Attributes,
  environment: MatchEnvironment,
): GroupVersionResource | undefined {
  if (!matchNamespace(match, attributes, environment) || !matchObject(match, attributes)) return undefined;
  const { resourceRules = [], excludeResourceRules = [] } = match;
  if (matchRules(excludeResourceRules, match, attributes, environment)) return undefined;
  if (resourceRules.length === 0) return attributes.resource;
  return matchRules(resourceRules, match, attributes, environment);
}

function matchRules(
  rules: NonNullable<MatchResources['resourceRules']>,
  { matchPolicy: policy }: MatchResources,
  attributes: Attributes,
  environment: MatchEnvironment,
): GroupVersionResource | undefined {
  const { resource, name } = attributes;
  const isNamed = (names: readonly string[] = []) => names.length === 0 || names.includes(name);
  const matches = (candidate: GroupVersionResource) =>
    rules.some((rule) => matchRule(rule, attributes, candidate) && isNamed(rule.resourceNames));
  if (matches(resource)) return resource;
  return policy === 'Equivalent' ? environment.equivalents(resource).find(matches) : undefined;
}
