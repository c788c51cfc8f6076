import type { DiscoveredType } from '../kube/index.ts';
import type { GroupVersionKind } from '../object/index.ts';
import {
  compileKinds,
  type KindMatcher,
  type PolicyProgram,
  type RuleProgram,
  type RuleSpec,
} from '../policy/index.ts';
import type { WebhookRule } from '../webhook/index.ts';
import type { ResourceFilters } from './resource-filters.ts';

type ResourceFilter = NonNullable<NonNullable<RuleSpec['match']>['any']>[number];

/** The operations on objects of a kind that a rule needs to see. */
type Interest = (kind: GroupVersionKind, subresource: string) => ReadonlySet<string>;

/** A kind that no policy can name: a rule that matches it matches every kind. */
const anyKind: GroupVersionKind = { group: '\u0000', version: '\u0000', kind: '\u0000' };
const none: ReadonlySet<string> = new Set();
/** Subresources with the operation CONNECT. */
const connected = new Set(['exec', 'attach', 'portforward', 'proxy']);

/** The smallest set of webhook rules that covers every request the selected rules of these programs can match. */
export function webhookRules(
  programs: readonly PolicyProgram[],
  isSelected: (rule: RuleProgram) => boolean,
  types: readonly DiscoveredType[],
  filters: ResourceFilters,
): readonly WebhookRule[] {
  const collector = new RuleCollector();
  for (const { policy, rules } of programs) {
    const isNamespaced = policy.kind === 'Policy';
    for (const rule of rules.filter(isSelected)) {
      const interest = compileInterest(rule);
      const anySubresource = interest(anyKind, '\u0000');
      const anyObject = interest(anyKind, '');
      const scope = isNamespaced ? 'Namespaced' : '*';
      collector.add(
        '*',
        '*',
        anySubresource.size > 0 ? '*/*' : '*',
        scope,
        anySubresource.size > 0 ? anySubresource : anyObject,
      );
      for (const type of types) {
        if (isNamespaced && !type.namespaced) continue;
        for (const subresource of ['', ...type.subresources]) {
          if (subresource === '' ? anyObject.size > 0 : anySubresource.size > 0) continue;
          if (filters.excludesKind(type, subresource)) continue;
          const name = subresource === '' ? type.resource : `${type.resource}/${subresource}`;
          collector.add(
            type.group,
            type.version,
            name,
            type.namespaced ? 'Namespaced' : 'Cluster',
            interest(type, subresource),
          );
        }
      }
    }
  }
  return collector.rules();
}

function compileInterest(rule: RuleProgram): Interest {
  const { match = {} } = rule.spec;
  const filters = (match.any?.length ? match.any : match.all?.length ? match.all : [match]).map((filter) =>
    compileFilter(rule, filter),
  );
  const isAny = Boolean(match.any?.length);
  return (kind, subresource) => {
    const found = filters.map((interest) => interest(kind, subresource));
    if (isAny) return new Set(found.flatMap((operations) => [...operations]));
    const [first = none, ...others] = found;
    return new Set([...first].filter((operation) => others.every((operations) => operations.has(operation))));
  };
}

function compileFilter(rule: RuleProgram, { resources = {} }: ResourceFilter): Interest {
  const kinds: KindMatcher = resources.kinds?.length ? compileKinds(resources.kinds) : () => true;
  const written = resources.operations?.length ? new Set(resources.operations) : undefined;
  return (kind, subresource) => {
    if (!kinds(kind, subresource)) return none;
    return written ?? new Set(standardOperations(rule, subresource));
  };
}

/** The operations that apply to a rule that names none. */
function standardOperations({ phase, spec }: RuleProgram, subresource: string): readonly string[] {
  if (connected.has(subresource)) return phase === 'validate' ? ['CONNECT'] : [];
  const writes = ['CREATE', 'UPDATE'];
  if (phase !== 'validate') return writes;
  const isEverything = subresource === '\u0000';
  // Patterns are not evaluated on DELETE: only deny conditions can prevent a deletion.
  const appliesToDelete = hasDeny(spec.validate);
  return [...writes, ...(appliesToDelete ? ['DELETE'] : []), ...(isEverything ? ['CONNECT'] : [])];
}

function hasDeny(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('deny' in value && value.deny) return true;
  return 'foreach' in value && Array.isArray(value.foreach) && value.foreach.some(hasDeny);
}

const order = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** Collects resources with their operations and merges them into as few rules as possible. */
class RuleCollector {
  private readonly operations = new Map<string, Set<string>>();

  add(group: string, version: string, resource: string, scope: string, operations: ReadonlySet<string>): void {
    if (operations.size === 0) return;
    const key = JSON.stringify([group, version, scope, resource]);
    const known = this.operations.get(key);
    if (known) for (const operation of operations) known.add(operation);
    else this.operations.set(key, new Set(operations));
  }

  rules(): readonly WebhookRule[] {
    const resources = new Map<string, string[]>();
    for (const [key, operations] of this.operations) {
      const [group, version, scope, resource] = JSON.parse(key) as [string, string, string, string];
      const sorted = order.filter((operation) => operations.has(operation));
      const id = JSON.stringify([group, version, scope, sorted]);
      const list = resources.get(id);
      if (list) list.push(resource);
      else resources.set(id, [resource]);
    }
    return [...resources]
      .map(([id, list]): WebhookRule => {
        const [group, version, scope, operations] = JSON.parse(id) as [string, string, WebhookRule['scope'], string[]];
        return { operations, apiGroups: [group], apiVersions: [version], resources: list.sort(), scope };
      })
      .sort((a, b) =>
        JSON.stringify(a.apiGroups.concat(a.apiVersions, a.resources)) <
        JSON.stringify(b.apiGroups.concat(b.apiVersions, b.resources))
          ? -1
          : 1,
      );
  }
}
