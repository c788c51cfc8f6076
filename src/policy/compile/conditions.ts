import { errorMessage } from '../../base/index.ts';
import { type Condition, evaluateOperator, parseConditionBlock, prepareOperator } from '../condition/index.ts';
import { Need } from '../context/index.ts';
import { PolicyError } from '../errors.ts';
import { spend } from '../run/budget.ts';
import { joinNonEmpty } from '../run/outcome.ts';
import { type Run, resolverOf } from '../run/run.ts';
import { compileDocument, type DocumentTemplate } from '../variables/index.ts';

const always: ConditionsResult = { hold: true, message: '' };
const never: ConditionsResult = { hold: false, message: '' };

interface ConditionsResult {
  readonly hold: boolean;
  readonly message: string;
}

/** Throws when a variable cannot be resolved or an operator cannot compare. */
export type Conditions = (run: Run) => ConditionsResult;

interface CompiledCondition {
  readonly operator: string;
  readonly key: DocumentTemplate;
  readonly value: DocumentTemplate;
  readonly written: unknown;
  readonly message: string;
  /** The operator prepared for a value without variables. */
  readonly prepared: ((key: unknown) => boolean) | undefined;
}

/** Preconditions, deny conditions and conditions of exceptions: `any`/`all` blocks, or the old plain list. */
export function compileConditions(conditions: unknown, where: string): Conditions {
  if (conditions === undefined || conditions === null) return () => always;
  const { any, all } = parseConditionBlock(conditions);
  const anyOf = any?.map(compileCondition);
  const allOf = all.map(compileCondition);
  return (run) => {
    const result = evaluateBlock(run, anyOf, allOf, where);
    run.trace?.({ kind: 'conditions', where, hold: result.hold });
    return result;
  };
}

function compileCondition({ key, operator, value, message }: Condition): CompiledCondition {
  const wanted = compileDocument(value ?? null);
  return {
    operator,
    key: compileDocument(key ?? null),
    value: wanted,
    prepared: wanted.isStatic ? prepareOperator(operator, wanted.staticValue) : undefined,
    written: key,
    message: message ?? '',
  };
}

function evaluateBlock(
  run: Run,
  anyOf: readonly CompiledCondition[] | undefined,
  allOf: readonly CompiledCondition[],
  where: string,
): ConditionsResult {
  let met = '';
  let unmet = '';
  const holds = (condition: CompiledCondition, block: 'any' | 'all') => {
    const result = evaluateCondition(run, condition, where, block);
    if (condition.message !== '') {
      if (result) met = joinNonEmpty([met, condition.message], '; ');
      else unmet = joinNonEmpty([unmet, condition.message], '; ');
    }
    return result;
  };
  let hold = anyOf === undefined;
  if (anyOf) {
    for (const condition of anyOf) {
      hold = holds(condition, 'any');
      if (hold) break;
    }
  }
  for (const condition of allOf) {
    if (holds(condition, 'all')) continue;
    hold = false;
    break;
  }
  if (met === '' && unmet === '') return hold ? always : never;
  return { hold, message: hold ? met : unmet };
}

function evaluateCondition(run: Run, condition: CompiledCondition, where: string, block: 'any' | 'all'): boolean {
  const resolver = resolverOf(run);
  const key = resolve(condition.key, resolver, 'key');
  const { prepared } = condition;
  const value = prepared ? condition.value.staticValue : resolve(condition.value, resolver, 'value');
  // Membership compares every key with every value; prepared values cost far less.
  spend(run, 10 + (lengthOf(key) * lengthOf(value)) / (prepared ? 8 : 1));
  const holds = prepared ? prepared(key) : evaluateOperator(condition.operator, key, value);
  run.trace?.({
    kind: 'condition',
    where,
    block,
    operator: condition.operator,
    written: condition.written,
    key,
    value,
    holds,
  });
  return holds;
}

const lengthOf = (value: unknown) => (Array.isArray(value) ? value.length : 1);

function resolve(template: DocumentTemplate, resolver: ReturnType<typeof resolverOf>, part: string): unknown {
  if (template.isStatic) return template.resolve(resolver);
  try {
    return template.resolve(resolver);
  } catch (thrown) {
    if (thrown instanceof Need) throw thrown;
    throw new PolicyError(
      'policy-condition',
      `failed to substitute variables in condition ${part}: ${errorMessage(thrown)}`,
      { cause: thrown },
    );
  }
}
