import type { WebhookRule } from './reviewer.ts';

/** One webhook of a configuration object. */
export interface RenderedWebhook {
  readonly name: string;
  readonly rules?: readonly WebhookRule[];
  readonly [field: string]: unknown;
}

/**
 * What may be written while the API server does not reach us: webhooks that are present stay or get fewer rules, as
 * their policies are deleted; none is added and none matches more.
 */
export function narrowWebhooks(
  wanted: readonly RenderedWebhook[],
  present: readonly RenderedWebhook[] = [],
): readonly RenderedWebhook[] {
  const byName = new Map(present.map((one) => [one.name, one]));
  return wanted.flatMap(({ name, rules = [] }) => {
    const before = byName.get(name);
    const common = intersectAll(rules, before?.rules ?? []);
    return before && common.length > 0 ? [{ ...before, rules: common }] : [];
  });
}

/** Rules for the requests that both match. */
function intersectAll(some: readonly WebhookRule[], others: readonly WebhookRule[]): readonly WebhookRule[] {
  const common = some.flatMap((rule) => others.flatMap((other) => intersect(rule, other) ?? []));
  return [...new Map(common.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function intersect(a: WebhookRule, b: WebhookRule): WebhookRule | undefined {
  const scope = a.scope === '*' ? b.scope : a.scope;
  if (b.scope !== '*' && b.scope !== scope) return undefined;
  const rule = {
    operations: inBoth(a.operations, b.operations),
    apiGroups: inBoth(a.apiGroups, b.apiGroups),
    apiVersions: inBoth(a.apiVersions, b.apiVersions),
    resources: inBoth(a.resources, b.resources, coversResource),
    scope,
  };
  const isEmpty = [rule.operations, rule.apiGroups, rule.apiVersions, rule.resources].some(
    ({ length }) => length === 0,
  );
  return isEmpty ? undefined : rule;
}

type Covers = (pattern: string, value: string) => boolean;
const coversValue: Covers = (pattern, value) => pattern === '*' || pattern === value;

// `*` is every resource without its subresources; the pattern with a slash has them.
const coversResource: Covers = (pattern, value) => {
  const [resource, subresource] = pattern.split('/');
  const [ofValue, subresourceOfValue] = value.split('/');
  if (pattern === '*/*' || pattern === value) return true;
  if (!coversValue(resource!, ofValue!) || (subresource === undefined) !== (subresourceOfValue === undefined))
    return false;
  return subresource === undefined || coversValue(subresource, subresourceOfValue!);
};

/** The patterns of one list that the other covers. */
const inBoth = (a: readonly string[], b: readonly string[], covers = coversValue): readonly string[] => [
  ...new Set([
    ...a.filter((one) => b.some((other) => covers(other, one))),
    ...b.filter((one) => a.some((other) => covers(other, one))),
  ]),
];
