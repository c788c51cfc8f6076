import { partsOfScope } from '../reads.ts';
import type { PolicyObject } from '../types.ts';
import { findVariables, variablePaths } from '../variables/index.ts';
import { cut, type Issues } from './issues.ts';
import { isSet } from './rule-context.ts';
import { textsOf } from './strings.ts';

/**
 * A background scan has no user, so variables about one are refused unless the policy says `background: false`.
 * Mutation of existing resources keeps the request that caused it, hence is exempt.
 */
export function checkUserVariables(policy: PolicyObject, issues: Issues): void {
  if (policy.spec.rules?.some((rule) => isSet(rule.mutate?.targets))) return;
  for (const { text, path } of textsOf(policy.spec, 'spec')) {
    if (!text.includes('{{')) continue;
    if (!namesUser(text)) continue;
    const variables = findVariables(text).map(({ start, end }) => text.slice(start, end));
    // A variable that contains others is reported with its whole text.
    const found = variables.find(namesUser) ?? text;
    issues.error(
      'policy-background',
      path,
      `only select variables are allowed in background mode, and ${cut(found)} is not one of them. ` +
        'Set spec.background=false to disable background mode for this policy rule',
    );
  }
}

function namesUser(text: string): boolean {
  return variablePaths(text).flatMap(partsOfScope).includes('namedUser');
}
