import type { ForEachValidate, ValidateSpec } from '../types.ts';
import { checkAssertion } from './assert.ts';
import { checkCel } from './cel.ts';
import { checkConditions } from './conditions.ts';
import { checkContext } from './context.ts';
import { checkExpression } from './expressions.ts';
import { checkMetadataTexts, checkPattern } from './pattern.ts';
import { checkPodSecurity } from './pod-security.ts';
import { isSet, type RuleCheck } from './rule-context.ts';

const checks = ['pattern', 'anyPattern', 'deny', 'foreach', 'podSecurity', 'cel', 'manifests', 'assert'] as const;

/** A validate block: exactly one check, and what that check says. */
export function checkValidate(check: RuleCheck, validate: ValidateSpec): void {
  const { issues } = check;
  const path = `${check.path}.validate`;
  const used = checks.filter((field) => isSet(validate[field]));
  if (used.length === 0) issues.error('policy-field-required', path, `one of ${checks.join(', ')} must be specified`);
  if (used.length > 1) {
    issues.error(
      'policy-field-conflict',
      path,
      `only one of ${checks.join(', ')} can be specified, not ${used.join(' and ')}`,
    );
  }
  if (isSet(validate.manifests)) {
    issues.error('policy-unsupported', `${path}.manifests`, 'validate.manifests is not supported yet');
  }
  if (isSet(validate.cel)) checkCel(check, validate.cel, `${path}.cel`);
  if (isSet(validate.assert)) checkAssertion(check, validate.assert, `${path}.assert`);
  checkPattern(validate.pattern, `${path}.pattern`, issues);
  checkMetadataTexts(validate.pattern, `${path}.pattern`, issues);
  checkAnyPattern(check, validate.anyPattern, `${path}.anyPattern`);
  checkConditions(validate.deny?.conditions, `${path}.deny.conditions`, issues);
  if (isSet(validate.foreach) && validate.foreach.length === 0) {
    issues.error('policy-field-required', `${path}.foreach`, 'must not be empty');
  }
  checkLoops(check, validate.foreach, `${path}.foreach`);
  if (isSet(validate.podSecurity)) checkPodSecurity(check, validate.podSecurity, `${path}.podSecurity`);
}

function checkAnyPattern({ issues }: RuleCheck, anyPattern: unknown, path: string): void {
  if (!isSet(anyPattern)) return;
  if (!Array.isArray(anyPattern)) {
    issues.error('policy-field-type', path, 'must be a list of patterns');
    return;
  }
  for (const [i, pattern] of anyPattern.entries()) {
    checkPattern(pattern, `${path}[${i}]`, issues);
    checkMetadataTexts(pattern, `${path}[${i}]`, issues);
  }
}

function checkLoops(check: RuleCheck, loops: readonly ForEachValidate[] | undefined, path: string): void {
  const { issues } = check;
  for (const [i, loop] of (loops ?? []).entries()) {
    const place = `${path}[${i}]`;
    if (!loop.list) issues.error('policy-field-required', `${place}.list`, 'foreach.list is required');
    checkExpression(loop.list, `${place}.list`, issues);
    const used = (['pattern', 'anyPattern', 'deny', 'foreach'] as const).filter((field) =>
      field === 'foreach' ? loop.foreach?.length : isSet(loop[field]),
    );
    if (used.length !== 1) {
      const code = used.length === 0 ? 'policy-field-required' : 'policy-field-conflict';
      issues.error(code, place, 'exactly one of pattern, anyPattern, deny, or a nested foreach must be specified');
    }
    checkContext(check, loop.context, `${place}.context`);
    checkConditions(loop.preconditions, `${place}.preconditions`, issues, true);
    checkConditions(loop.deny?.conditions, `${place}.deny.conditions`, issues, true);
    checkMetadataTexts(loop.pattern, `${place}.pattern`, issues);
    checkLoops(check, loop.foreach, `${place}.foreach`);
  }
}
