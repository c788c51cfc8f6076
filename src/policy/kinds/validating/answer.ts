import { CelAnswer, CelError } from '../../../cel/index.ts';
import type { Expression } from '../../cel/index.ts';
import { errored, failed, pass, type RuleOutcome, skip } from '../../run/outcome.ts';
import type { KindEvaluator } from '../evaluator.ts';

const allowed = pass('success');
const silent = skip('skip');

/** For requests of proxies: the first validation that answers decides; null is no answer. */
export function judgeAnswers(validations: readonly Expression[], evaluator: KindEvaluator): RuleOutcome {
  for (const [index, expression] of validations.entries()) {
    const value = evaluator.evaluate(expression, 'validations');
    if (value === null) continue;
    if (value instanceof CelAnswer) return value.isAllowed ? allowed : failed(value.message || 'denied');
    const message = value instanceof CelError ? value.message : 'a validation must answer with a response or null';
    return { ...errored(`error: ${message}`), properties: { 'cel.validationIndex': String(index) } };
  }
  return silent;
}
