import type { MatchBlock, PolicyObject, ResourceFilter, RuleSpec } from '../types.ts';
import { derivedKinds } from './controllers.ts';
import { containsKind, kindsOf } from './kinds.ts';
import { inJobTemplate, inTemplate, type Nesting, shiftExpressions } from './shift.ts';
import { wrapMutate, wrapValidate } from './wrap.ts';

/** A rule that is evaluated. `origin` is the index in `spec.rules` of the rule itself or of the one it is derived from. */
export interface ExpandedRule {
  readonly rule: RuleSpec;
  readonly name: string;
  readonly origin: number;
  /** Set on derived rules: for controllers with a pod template, or for CronJobs. */
  readonly autogen?: 'template' | 'cronjob';
}

const maxNameBytes = 63;

/**
 * The policy's own rules in order, then the derived ones in the order of their origins. If any rule is derived, own rules
 * named like derived ones are omitted: they come from a policy that was exported with its derived rules.
 */
export function expandRules(policy: PolicyObject): readonly ExpandedRule[] {
  const own = (policy.spec.rules ?? []).map((rule, origin): ExpandedRule => ({ rule, name: rule.name, origin }));
  const { template, cronJob } = derivedKinds(policy);
  const derived: ExpandedRule[] = [];
  for (const { rule, origin } of own) {
    if (isDerivedName(rule.name) || !concernsPods(rule)) continue;
    const forTemplate = deriveTemplateRule(rule, template ?? cronJob ?? []);
    if (forTemplate === undefined) continue;
    if (template !== undefined) {
      derived.push(finish(forTemplate, { name: cut(`autogen-${rule.name}`), origin, autogen: 'template' }));
    }
    if (cronJob !== undefined) {
      const name = cut(`autogen-cronjob-${rule.name}`);
      derived.push(finish(deriveCronJobRule(forTemplate, cronJob), { name, origin, autogen: 'cronjob' }));
    }
  }
  return derived.length === 0 ? own : [...own.filter(({ name }) => !isDerivedName(name)), ...derived];
}

/** The names of the rules `expandRules` derives, in order. */
export function autogenRuleNames(policy: PolicyObject): readonly string[] {
  return expandRules(policy)
    .filter(({ autogen }) => autogen !== undefined)
    .map(({ name }) => name);
}

function isDerivedName(name: string): boolean {
  return name.startsWith('autogen-');
}

/** Upstream truncates by bytes, not characters; rule names are ASCII in practice. */
function cut(name: string): string {
  const bytes = new TextEncoder().encode(name);
  return bytes.length <= maxNameBytes ? name : new TextDecoder().decode(bytes.subarray(0, maxNameBytes));
}

function concernsPods(rule: RuleSpec): boolean {
  const excluded = kindsOf(rule.exclude);
  return containsKind(kindsOf(rule.match), 'Pod') && (excluded.length === 0 || containsKind(excluded, 'Pod'));
}

/** The rule with its match and its check moved to `spec.template`; undefined for a check that cannot be moved. */
function deriveTemplateRule(rule: RuleSpec, kinds: readonly string[]): RuleSpec | undefined {
  return derive(rule, inTemplate, (block, isMatch) =>
    replaceKinds(block, isMatch, (filter) =>
      containsKind(filter.resources?.kinds ?? [], 'Pod') ? withKinds(filter, kinds) : filter,
    )(kinds),
  );
}

/** A CronJob rule derives from the template rule, so its check is moved a second time; every filter gets the kind. */
function deriveCronJobRule(rule: RuleSpec, kinds: readonly string[]): RuleSpec {
  const derived = derive(rule, inJobTemplate, (block, isMatch) =>
    replaceKinds(block, isMatch, (filter) => withKinds(filter, kinds))(kinds),
  );
  return derived ?? rule;
}

function derive(
  rule: RuleSpec,
  nesting: Nesting,
  select: (block: MatchBlock, isMatch: boolean) => MatchBlock,
): RuleSpec | undefined {
  const { mutate: oldMutate, validate: oldValidate, match, exclude, ...rest } = rule;
  const mutate = wrapMutate(oldMutate, nesting);
  const validate = mutate === undefined ? wrapValidate(oldValidate, nesting) : oldValidate;
  if (mutate === undefined && validate === undefined && !rule.verifyImages) return undefined;
  return {
    ...rest,
    match: select(match ?? {}, true),
    ...(exclude ? { exclude: select(exclude, false) } : {}),
    ...((mutate ?? oldMutate) ? { mutate: mutate ?? oldMutate } : {}),
    ...((validate ?? oldValidate) ? { validate: validate ?? oldValidate } : {}),
  } as RuleSpec;
}

/** `any` is looked at before `all`, and the old form without either always gets its kinds, if it is a match. */
function replaceKinds(
  block: MatchBlock,
  isMatch: boolean,
  replace: (filter: ResourceFilter) => ResourceFilter,
): (kinds: readonly string[]) => MatchBlock {
  return (kinds) => {
    if (block.any?.length) return { ...block, any: block.any.map(replace) };
    if (block.all?.length) return { ...block, all: block.all.map(replace) };
    return isMatch || block.resources?.kinds?.length ? withKinds(block, kinds) : block;
  };
}

function withKinds<T extends ResourceFilter>(filter: T, kinds: readonly string[]): T {
  return { ...filter, resources: { ...filter?.resources, kinds } };
}

/** Image extractors name their kind, so they do not carry over; expressions are moved last, over everything. */
function finish(rule: RuleSpec, identity: Omit<ExpandedRule, 'rule'>): ExpandedRule {
  const { imageExtractors: _, generate: __, ...rest } = { ...rule, name: identity.name };
  const nesting = identity.autogen === 'template' ? inTemplate : inJobTemplate;
  const shifted = shiftExpressions(rest, nesting, (rule.validate?.cel ?? null) !== null);
  return { ...identity, rule: shifted, name: shifted.name };
}
