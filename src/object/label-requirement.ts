import { SupercargoError } from '../base/index.ts';
import { validateLabelKey, validateLabelValue } from './names.ts';

/** An invalid selector; `message` is the API server's. */
export class SelectorError extends SupercargoError {}

export type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

export type Labels = Readonly<Record<string, string>>;

/** Absent labels are the same as none. */
export type LabelMatcher = (labels: Labels | undefined) => boolean;

/** Rejects keys, values and numbers of values that an API server rejects. */
export function checkRequirement({ key, operator, values }: LabelRequirement): void {
  const issues: string[] = [];
  const keyIssues = validateLabelKey(key);
  if (keyIssues.length > 0) issues.push(invalid('key', key, keyIssues.join('; ')));
  const wrongCount = countIssue(operator, values.length);
  if (wrongCount !== undefined) issues.push(invalid('values', values, wrongCount));
  values.forEach((value, index) => {
    if ((operator === 'gt' || operator === 'lt') && parseInt64(value) === undefined) {
      issues.push(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
    const valueIssues = validateLabelValue(value);
    if (valueIssues.length > 0) issues.push(invalid(`values[${index}][${key}]`, value, valueIssues.join('; ')));
  });
  if (issues.length === 0) return;
  throw new SelectorError('object-selector-invalid', issues.length === 1 ? issues[0]! : `[${issues.join(', ')}]`);
}

/** Compiles requirements that must all hold. They must have been checked. */
export function compileRequirements(requirements: readonly LabelRequirement[]): LabelMatcher {
  const matchers = requirements.map(compileRequirement);
  const [first] = matchers;
  if (!first) return () => true;
  if (matchers.length === 1) return (labels) => first(labels ?? none);
  return (labels) => {
    for (const matches of matchers) if (!matches(labels ?? none)) return false;
    return true;
  };
}

const none: Labels = Object.freeze({});

function compileRequirement({ key, operator, values }: LabelRequirement): (labels: Labels) => boolean {
  // A label may be called "constructor": only own properties are labels.
  const has = (labels: Labels) => Object.hasOwn(labels, key);
  switch (operator) {
    case 'exists':
      return has;
    case '!':
      return (labels) => !has(labels);
    case 'gt':
    case 'lt': {
      const bound = parseInt64(values[0] ?? '') ?? 0n;
      return (labels) => {
        const value = has(labels) ? parseInt64(labels[key]!) : undefined;
        return value !== undefined && (operator === 'gt' ? value > bound : value < bound);
      };
    }
    case 'in':
    case '=':
    case '==': {
      const isWanted = memberOf(values);
      return (labels) => has(labels) && isWanted(labels[key]!);
    }
    case 'notin':
    case '!=': {
      const isUnwanted = memberOf(values);
      return (labels) => !has(labels) || !isUnwanted(labels[key]!);
    }
  }
}

function memberOf(values: readonly string[]): (value: string) => boolean {
  if (values.length === 1) {
    const only = values[0];
    return (value) => value === only;
  }
  const set = new Set(values);
  return (value) => set.has(value);
}

function countIssue(operator: LabelOperator, count: number): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '==':
    case '!=':
      return count !== 1 ? 'exact-match compatibility requires one single value' : undefined;
    case 'exists':
    case '!':
      return count !== 0 ? 'values set must be empty for exists and does not exist' : undefined;
    case 'gt':
    case 'lt':
      return count !== 1 ? "for 'Gt', 'Lt' operators, exactly one value is required" : undefined;
  }
}

function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

export function invalid(path: string, value: unknown, detail: string): string {
  return `${path}: Invalid value: ${JSON.stringify(value)}: ${detail}`;
}
