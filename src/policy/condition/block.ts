import { isJsonObject } from '../../base/index.ts';
import { type ConditionOperator, conditionOperators, parseOperator } from './operator.ts';

/** One comparison as a policy states it; key and value may still hold variables. */
export interface Condition {
  readonly key: unknown;
  /** As written if no operator has that name; evaluating it is then an error. */
  readonly operator: ConditionOperator | (string & {});
  readonly value: unknown;
  readonly message: string;
}

interface ConditionIssue {
  /** Relative to the block: `any[0].operator`, or `[0].operator` in the old form. */
  readonly path: string;
  readonly message: string;
}

/** Holds when each of `all` holds and, if there is an `any` list, one of `any` holds. An empty `any` never holds. */
interface ConditionBlock {
  readonly any: readonly Condition[] | undefined;
  readonly all: readonly Condition[];
  readonly issues: readonly ConditionIssue[];
}

/** Converts `any`/`all` blocks and the old plain list to one form, and reports what is wrong with them. */
export function parseConditionBlock(json: unknown): ConditionBlock {
  const issues: ConditionIssue[] = [];
  if (json === undefined || json === null) return { any: undefined, all: [], issues };
  if (Array.isArray(json)) return { any: undefined, all: parseList(json, '', issues), issues };
  if (!isJsonObject(json)) {
    issues.push({ path: '', message: 'conditions must be an object with any or all, or a list' });
    return { any: undefined, all: [], issues };
  }
  for (const key of Object.keys(json)) {
    if (key !== 'any' && key !== 'all') issues.push({ path: key, message: 'conditions have only any and all' });
  }
  const { any, all } = json;
  return {
    any: any === undefined || any === null ? undefined : parseList(any, 'any', issues),
    all: all === undefined || all === null ? [] : parseList(all, 'all', issues),
    issues,
  };
}

function parseList(list: unknown, path: string, issues: ConditionIssue[]): readonly Condition[] {
  if (Array.isArray(list)) return list.map((item, i) => parseCondition(item, `${path}[${i}]`, issues));
  issues.push({ path, message: 'must be a list of conditions' });
  return [];
}

function parseCondition(json: unknown, path: string, issues: ConditionIssue[]): Condition {
  const { key = null, operator, value = null, message } = isJsonObject(json) ? json : {};
  if (!isJsonObject(json)) issues.push({ path, message: 'must be an object with key, operator and value' });
  const name = typeof operator === 'string' ? parseOperator(operator) : undefined;
  if (name === undefined && isJsonObject(json)) {
    issues.push({ path: `${path}.operator`, message: `must be one of ${conditionOperators.join(', ')}` });
  }
  if (message !== undefined && message !== null && typeof message !== 'string') {
    issues.push({ path: `${path}.message`, message: 'must be a text' });
  }
  return {
    key,
    operator: name ?? (typeof operator === 'string' ? operator : ''),
    value,
    message: typeof message === 'string' ? message : '',
  };
}
