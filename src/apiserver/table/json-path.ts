import { isJsonObject } from '../../base/index.ts';
import { JsonPathError } from './json-path-error.ts';
import {
  type Comparison,
  type FilterStep,
  type IndexStep,
  type JsonPathStep,
  parseJsonPath,
} from './json-path-parser.ts';

/**
 * All values the path leads to, in order; none where a field is missing. Throws JsonPathError where an
 * array is expected and something else stands.
 */
export type JsonPath = (root: unknown) => readonly unknown[];

type Walk = (values: readonly unknown[]) => readonly unknown[];

/**
 * Compiles Kubernetes' JSONPath without its braces: `.spec.rules[*].name`, `.items[?(@.type=="Ready")].status`.
 * `['a.b']` means `.a.b` there, so a dot inside a name is written `a\.b` in either form.
 */
export function compileJsonPath(text: string): JsonPath {
  const walk = compileSteps(parseJsonPath(text));
  return (root) => walk([root]);
}

function compileSteps(steps: readonly JsonPathStep[]): Walk {
  const walks = steps.map(compileStep);
  return (values) => walks.reduce((current, walk) => walk(current), values);
}

function compileStep(step: JsonPathStep): Walk {
  switch (step.kind) {
    case 'field':
      return (values) => values.flatMap((value) => fieldOf(value, step.name));
    case 'wildcard':
      return (values) => values.flatMap(childrenOf);
    case 'recursive':
      return (values) => values.flatMap(withDescendants);
    case 'index':
      return (values) => values.flatMap((value) => elementsAt(value, step));
    case 'union': {
      const branches = step.branches.map(compileSteps);
      return (values) => branches.flatMap((branch) => branch(values));
    }
    case 'filter':
      return compileFilter(step);
    case 'literal':
      return (values) => values.map(() => step.value);
  }
}

function fieldOf(value: unknown, name: string): readonly unknown[] {
  return isJsonObject(value) && Object.hasOwn(value, name) ? [value[name]] : [];
}

function childrenOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? Object.values(value) : [];
}

function withDescendants(value: unknown): readonly unknown[] {
  const children = childrenOf(value);
  return children.length === 0 ? [] : [value, ...children.flatMap(withDescendants)];
}

function elementsAt(value: unknown, step: IndexStep): readonly unknown[] {
  if (value === null || value === undefined) return [];
  const list = arrayOf(value);
  let start = step.start ?? 0;
  if (start < 0) start += list.length;
  let end = step.single ? start + 1 : (step.end ?? list.length);
  if (end < 0) end += list.length;
  if (start === end) return [];
  if (start < 0 || start >= list.length || end < 0 || end > list.length) {
    throw failed(`array index out of bounds: index ${start}, length ${list.length}`);
  }
  if (start > end) throw failed(`starting index ${start} is greater than ending index ${end}`);
  return list.slice(start, end).filter((_, index) => index % (step.step ?? 1) === 0);
}

function compileFilter(step: FilterStep): Walk {
  const left = compileSteps(step.left);
  const { comparison } = step;
  if (!comparison) return (values) => values.flatMap((value) => arrayOf(value).filter((one) => left([one]).length > 0));
  const right = compileSteps(comparison.right);
  const keep = (element: unknown): boolean => {
    const [a, ...moreA] = left([element]);
    const [b, ...moreB] = right([element]);
    if (a === undefined || b === undefined) return false;
    if (moreA.length > 0 || moreB.length > 0) throw failed('can only compare one element at a time');
    return compare(a, b, comparison.operator);
  };
  return (values) => values.flatMap((value) => arrayOf(value).filter(keep));
}

function compare(a: unknown, b: unknown, operator: Comparison['operator']): boolean {
  if (typeof a !== typeof b || typeof a === 'object') throw failed('incompatible types for comparison');
  const left = a as string | number;
  const right = b as string | number;
  switch (operator) {
    case '==':
      return left === right;
    case '!=':
      return left !== right;
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
  }
}

function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw failed('not an array, so it has no elements to choose from');
  return value;
}

const failed = (message: string) => new JsonPathError('table-jsonpath-mismatch', message);
