import { lazy } from '../../base/index.ts';
import { dynType, kubernetesEnvironment, requestType, type Variables } from '../../cel/index.ts';
import type { LabelSelector } from '../../object/index.ts';
import { compileExpression } from '../cel/index.ts';
import type { MatchCondition } from '../program.ts';
import { onlyBool } from './scope.ts';
import type { KindSpec, MatchConstraints, NamedExpression } from './types.ts';

/** What the conditions of a webhook see. */
const webhookScope = lazy(
  (): Variables =>
    new Map([
      ['object', dynType],
      ['oldObject', dynType],
      ['request', requestType],
    ]),
);

const maxConditions = 64;
const qualifiedName = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;

/** Updates of an object under deletion are admitted, whatever policies say: the API server must not refuse them either. */
const isBeingDeleted = 'object != null && has(object.metadata) && has(object.metadata.deletionTimestamp)';

/**
 * The conditions that the API server evaluates itself before it calls the webhook of a policy: those in its own language,
 * of the policy and of the forms that autogen derives from it, which have other kinds.
 *
 * A condition that fails there has the webhook's failure policy. Under Ignore that skips the policy, as here, whichever of
 * the conditions are evaluated there. Under Fail it refuses the request, so all conditions must be there, for a false one
 * wins over an error; and nothing else may make the policy skip the request, as selectors do.
 */
export function pushedConditions(forms: readonly KindSpec[]): readonly MatchCondition[] {
  const [{ matchConditions = [], failurePolicy = 'Fail' } = {}] = forms;
  const ignoresErrors = failurePolicy === 'Ignore';
  if (!ignoresErrors && !forms.every(({ matchConstraints }) => isTold(matchConstraints))) return [];
  const conditions = matchConditions.flatMap(({ name }, i) => {
    const expression = ofForms(forms, i);
    if (expression === undefined) return [];
    const pushed = { name, expression: ignoresErrors ? expression : `${isBeingDeleted} || ${grouped(expression)}` };
    return isForWebhooks(pushed) ? [pushed] : [];
  });
  if (ignoresErrors) return conditions.slice(0, maxConditions);
  return conditions.length === matchConditions.length && conditions.length <= maxConditions ? conditions : [];
}

/** Whether the rules of a webhook say all that the constraints do. */
const isTold = ({
  resourceRules = [],
  excludeResourceRules = [],
  namespaceSelector = {},
  objectSelector = {},
}: MatchConstraints = {}): boolean =>
  excludeResourceRules.length === 0 &&
  isEmpty(namespaceSelector) &&
  isEmpty(objectSelector) &&
  resourceRules.every(({ resourceNames = [] }) => resourceNames.length === 0);

const isEmpty = ({ matchLabels, matchExpressions }: LabelSelector) =>
  Object.keys(matchLabels ?? {}).length === 0 && !matchExpressions?.length;

/** One condition for all forms, by the resource of the request; undefined where the forms do not have it alike. */
function ofForms(forms: readonly KindSpec[], index: number): string | undefined {
  const expressions = forms.map(({ matchConditions = [] }) => matchConditions[index]?.expression);
  const [first] = expressions;
  if (first === undefined || expressions.every((expression) => expression === first)) return first;
  let combined = '';
  for (const [i, { matchConstraints }] of forms.entries()) {
    const expression = expressions[i];
    if (expression === undefined) return undefined;
    if (i === forms.length - 1) return combined + grouped(expression);
    const resources = (matchConstraints?.resourceRules ?? []).flatMap((rule) => rule.resources ?? []);
    combined += `request.resource.resource in ${JSON.stringify(resources)} ? ${grouped(expression)} : `;
  }
  return combined;
}

/** An expression may end with a comment. */
const grouped = (expression: string) => `(${expression}\n)`;

const isForWebhooks = ({ name, expression }: NamedExpression): boolean =>
  qualifiedName.test(name) &&
  'program' in compileExpression(expression, webhookScope(), onlyBool(), kubernetesEnvironment);
