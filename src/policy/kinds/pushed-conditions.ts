import { lazy } from '../../base/index.ts';
import { dynType, kubernetesEnvironment, requestType, type Variables } from '../../cel/index.ts';
import { compileExpression } from '../cel/index.ts';
import type { MatchCondition } from '../program.ts';
import { onlyBool } from './scope.ts';
import type { NamedExpression } from './types.ts';

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

/**
 * The conditions that the API server can evaluate itself before it calls the webhook: those in its own language. A
 * condition that fails there has the webhook's failure policy, so it must mean the same here.
 */
export function pushedConditions(conditions: readonly NamedExpression[] = []): readonly MatchCondition[] {
  return conditions
    .filter(
      ({ name, expression }) =>
        qualifiedName.test(name) &&
        'program' in compileExpression(expression, webhookScope(), onlyBool(), kubernetesEnvironment),
    )
    .slice(0, maxConditions)
    .map(({ name, expression }) => ({ name, expression }));
}
