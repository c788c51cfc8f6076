import { errorMessage } from '../../base/index.ts';
import { labelSelectorOf } from '../../object/index.ts';
import { hasContent, kindOf } from '../autogen/index.ts';
import { parseKindSelector } from '../match/index.ts';
import type { MatchBlock, ResourceDescription, ResourceFilter } from '../types.ts';
import { checkEmptySet } from './empty-set.ts';
import { cut, type Issues } from './issues.ts';
import { checkStars } from './limits.ts';
import { isSet, type RuleCheck } from './rule-context.ts';
import { textsOf } from './strings.ts';
import { checkWildcardRule } from './wildcard-rule.ts';

interface PlacedFilter {
  readonly filter: ResourceFilter;
  readonly path: string;
}

/** Checks match and exclude, and whether they leave anything to match. */
export function checkMatch(check: RuleCheck): void {
  const { rule, path, issues } = check;
  checkBlock(check, rule.match ?? {}, `${path}.match`);
  for (const { filter, path: place } of filtersOf(rule.match ?? {}, `${path}.match`)) {
    if (!isDescribed(filter.resources)) {
      issues.error('policy-match', place, 'match resources not specified: a filter must describe resources');
    } else if ((filter.resources?.kinds ?? []).length === 0) {
      issues.error('policy-match', `${place}.resources.kinds`, 'at least one kind must be specified');
    }
  }
  if (!isSet(rule.exclude)) return;
  checkBlock(check, rule.exclude, `${path}.exclude`);
  checkEmptySet(check, rule.exclude);
}

function checkBlock(check: RuleCheck, block: MatchBlock, path: string): void {
  const { issues } = check;
  const hasAny = (block.any ?? []).length > 0;
  const hasAll = (block.all ?? []).length > 0;
  if (hasAny && hasAll) issues.error('policy-field-conflict', path, "can't specify any and all together");
  if ((hasAny || hasAll) && isDescribed(block.resources)) {
    issues.error('policy-field-conflict', `${path}.resources`, "can't specify any/all together with resources");
  }
  if ([...textsOf(block, path)].some(({ text }) => /\{\{[^{}]*\}\}/.test(text))) {
    issues.error('policy-variable-forbidden', path, 'variables are not allowed in match and exclude');
  }
  checkUserInfo(check, block, path);
  for (const { filter, path: place } of filtersOf(block, path)) {
    if (filter !== block) checkUserInfo(check, filter, place);
    checkDescription(check, filter.resources ?? {}, `${place}.resources`);
  }
}

/** The filters of a block, or the block itself when it is written in the old form. */
export function filtersOf(block: MatchBlock, path: string): PlacedFilter[] {
  const placed = (['any', 'all'] as const).flatMap((field) =>
    (block[field] ?? []).map((filter, i) => ({ filter: filter ?? {}, path: `${path}.${field}[${i}]` })),
  );
  return placed.length === 0 ? [{ filter: block, path }] : placed;
}

function isDescribed(description: ResourceDescription | undefined): boolean {
  return hasContent(description);
}

function checkUserInfo({ issues, policy }: RuleCheck, filter: ResourceFilter, path: string): void {
  if (policy.background) checkNobodyAsks(filter, path, issues);
  for (const [i, role] of (filter.roles ?? []).entries()) {
    if (role.split(':').length !== 2) {
      issues.error('policy-match', `${path}.roles[${i}]`, 'Role is expected to be in namespace:name format');
    }
  }
  for (const [i, subject] of (filter.subjects ?? []).entries()) {
    const place = `${path}.subjects[${i}]`;
    if (!['User', 'Group', 'ServiceAccount'].includes(subject.kind)) {
      issues.error('policy-match', `${place}.kind`, "kind must be 'User', 'Group', or 'ServiceAccount'");
    }
    if (subject.name === '') issues.error('policy-match', `${place}.name`, 'is required');
    if (subject.kind === 'ServiceAccount' && !subject.namespace) {
      issues.error('policy-match', `${place}.namespace`, 'namespace is required when Kind is ServiceAccount');
    }
  }
}

/** A background scan has no user. */
export function checkNobodyAsks(filter: ResourceFilter, path: string, issues: Issues): void {
  for (const field of ['roles', 'clusterRoles', 'subjects'] as const) {
    if ((filter[field] ?? []).length === 0) continue;
    const message = 'only known while a request is admitted: set spec.background to false';
    issues.error('policy-background', `${path}.${field}`, message);
  }
}

function checkDescription(check: RuleCheck, description: ResourceDescription, path: string): void {
  const { issues, policy } = check;
  if (description.name && (description.names ?? []).length > 0) {
    issues.error('policy-field-conflict', path, 'Both name and names can not be specified together');
  }
  checkSelector(check, description, path);
  if (policy.isNamespaced && (description.namespaces ?? []).length > 0) {
    issues.error('policy-scope', `${path}.namespaces`, 'Filtering namespaces not allowed in namespaced policies');
  }
  checkKinds(check, description.kinds ?? [], `${path}.kinds`);
  const wildcards = [description.name ?? '', ...(description.names ?? []), ...(description.namespaces ?? [])];
  for (const { text, path: place } of textsOf([wildcards, description.annotations ?? {}], path)) {
    checkStars(text, place, issues);
  }
}

/** A selector with wildcards is invalid in Kubernetes, but valid in a policy. */
function checkSelector({ issues }: RuleCheck, { selector }: ResourceDescription, path: string): void {
  if (!isSet(selector)) return;
  const labels = Object.entries(selector.matchLabels ?? {}).flat();
  if (labels.some((text) => /[*?]/.test(text))) return;
  try {
    labelSelectorOf(selector);
  } catch (thrown) {
    issues.error('policy-match', `${path}.selector`, errorMessage(thrown));
    return;
  }
  if (labels.length === 0 && (selector.matchExpressions ?? []).length === 0) {
    issues.error('policy-match', `${path}.selector`, 'The requirements are not specified in selector');
  }
}

function checkKinds(check: RuleCheck, kinds: readonly string[], path: string): void {
  const { rule, issues, policy } = check;
  for (const [i, text] of kinds.entries()) {
    const place = `${path}[${i}]`;
    const selector = parseKindSelector(text);
    if (selector === undefined || selector.kind === '') {
      issues.error(
        'policy-match-kind',
        place,
        `"${cut(text)}" is no kind: write Kind, version/Kind or group/version/Kind, with /subresource behind if needed`,
      );
      continue;
    }
    checkStars(text, place, issues);
    if (selector.subresource !== '' && hasContent(rule.validate) && policy.background) {
      issues.error(
        'policy-background',
        place,
        `background scan enabled with subresource ${cut(text)}: set spec.background to false`,
      );
    }
    if (policy.isNamespaced && isClusterWide(check, selector)) {
      issues.error('policy-scope', place, `Cluster wide resource '${kindOf(text)}' not allowed in namespaced policy`);
    }
  }
  if (kinds.includes('*')) checkWildcardRule(check, kinds, path);
}

function isClusterWide(
  { policy }: RuleCheck,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): boolean {
  if (group === '*') return policy.scopeOf('', kind) === true;
  return policy.scopeOf(`${group}/${version}`, kind) === true;
}
