import type { MatchBlock, PolicyObject, ResourceDescription, RuleSpec } from '../types.ts';
import { hasContent } from './content.ts';
import { containsKind } from './kinds.ts';

/** Names the controllers rules are derived for: a comma-separated list, `all`, or `none`. */
export const autogenAnnotation = 'pod-policies.kyverno.io/autogen-controllers';

/** Controllers whose pod template is at `spec.template`, with the selector a derived rule matches them by. */
const templateControllers: ReadonlyMap<string, string> = new Map([
  ['DaemonSet', 'apps/v1/DaemonSet'],
  ['Deployment', 'apps/v1/Deployment'],
  ['Job', 'batch/v1/Job'],
  ['ReplicaSet', 'apps/v1/ReplicaSet'],
  ['ReplicationController', 'v1/ReplicationController'],
  ['StatefulSet', 'apps/v1/StatefulSet'],
]);

const podKinds = new Set([...templateControllers.keys(), 'CronJob', 'Pod']);

/** The kind selectors of derived rules; an undefined one means that no rule of that form is derived. */
interface DerivedKinds {
  readonly template?: readonly string[];
  readonly cronJob?: readonly string[];
}

const cronJobKinds: readonly string[] = ['batch/v1/CronJob'];

/** Controllers that derived rules of this policy cover, sorted; empty when none are derived. */
export function autogenControllers(policy: PolicyObject): readonly string[] {
  const { template, cronJob } = derivedKinds(policy);
  return [...(template ?? []), ...(cronJob ?? [])].map((kind) => kind.slice(kind.lastIndexOf('/') + 1)).sort();
}

/** The controllers that the policy as a whole derives rules for; each rule still decides whether it is derived. */
export function derivedKinds(policy: PolicyObject): DerivedKinds {
  if (!allowsAutogen(policy.spec.rules ?? [])) return {};
  const annotation = policy.metadata.annotations?.[autogenAnnotation];
  if (annotation === undefined) return { template: [...templateControllers.values()], cronJob: cronJobKinds };
  return requestedKinds(annotation);
}

/**
 * Unknown names are dropped, unless no other name is left: then they are matched as written, so that a policy can name a
 * custom kind. CronJob is found anywhere in the text, also with spaces around it.
 */
function requestedKinds(annotation: string): DerivedKinds {
  const names = [...new Set(annotation.split(','))].sort();
  if (names.length === 1 && names[0] === 'none') return {};
  const asked = names.filter((name) => name !== 'CronJob');
  const known = asked.filter((name) => templateControllers.has(name));
  const all = asked.length === 1 && asked[0] === 'all';
  const chosen = all ? [...templateControllers.keys()] : known.length > 0 ? known : asked;
  const template = chosen.map((name) => templateControllers.get(name) ?? name);
  return {
    ...(template.length > 0 && asked.join(',') !== '' ? { template } : {}),
    ...(names.some((name) => name.includes('CronJob') || name.includes('all')) ? { cronJob: cronJobKinds } : {}),
  };
}

/** If one rule cannot be derived for controllers, no rule of the policy is. */
function allowsAutogen(rules: readonly RuleSpec[]): boolean {
  let concernsPods = false;
  for (const rule of rules) {
    if (hasContent(rule.generate, ['clone', 'cloneList'])) return false;
    if (rule.mutate?.patchesJson6902) return false;
    if (rule.mutate?.foreach?.some((entry) => entry.patchesJson6902)) return false;
    for (const description of [...descriptionsOf(rule.match), ...descriptionsOf(rule.exclude)]) {
      if (!isPortable(description)) return false;
      concernsPods ||= (description.kinds ?? []).some((kind) => podKinds.has(kind));
    }
  }
  return concernsPods;
}

function descriptionsOf(block: MatchBlock | undefined): ResourceDescription[] {
  if (block === undefined || block === null) return [];
  return [block, ...(block.any ?? []), ...(block.all ?? [])].map((filter) => filter?.resources ?? {});
}

/** Names, labels and annotations of a Pod differ from those of its controller, so a rule that selects by them is not derived. */
function isPortable(description: ResourceDescription): boolean {
  const kinds = description.kinds ?? [];
  return (
    !description.name &&
    (description.names ?? []).length === 0 &&
    (description.selector ?? null) === null &&
    (description.annotations ?? null) === null &&
    !(kinds.length > 1 && containsKind(kinds, 'Pod'))
  );
}
