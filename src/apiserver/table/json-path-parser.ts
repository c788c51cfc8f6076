import { JsonPathError } from './json-path-error.ts';

export type JsonPathStep =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | IndexStep
  | { readonly kind: 'union'; readonly branches: readonly (readonly JsonPathStep[])[] }
  | FilterStep
  | { readonly kind: 'literal'; readonly value: string | number | boolean };

export interface IndexStep {
  readonly kind: 'index';
  readonly start?: number;
  readonly end?: number;
  readonly step?: number;
  /** `[2]` rather than `[2:3]`. */
  readonly single: boolean;
}

export interface FilterStep {
  readonly kind: 'filter';
  readonly left: readonly JsonPathStep[];
  /** Absent: the element is kept when `left` leads anywhere. */
  readonly comparison?: Comparison;
}

export interface Comparison {
  readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=';
  readonly right: readonly JsonPathStep[];
}

const operators: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const fieldEnd = new Set(' \t\r\n.,[]$@{}');
const sliceText = /^(-?\d*)(?::(-?\d*))?(?::(-?\d*))?$/;
const numberText = /^[+-]?[\d.]+/;
const wordText = /^[A-Za-z_]\w*/;

export function parseJsonPath(text: string): readonly JsonPathStep[] {
  const steps: JsonPathStep[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const c = rest.charAt(0);
    if (rest.startsWith('[?(')) {
      const end = filterEnd(text, at + 3);
      steps.push(parseFilter(text.slice(at + 3, end)));
      at = end + 2;
    } else if (rest.startsWith('..')) {
      if (steps.at(-1)?.kind === 'recursive') throw invalid(text, 'two recursive descents follow each other');
      steps.push({ kind: 'recursive' });
      // A name needs no third dot.
      at = /^\.\.\w/.test(rest) ? pushField(text, at + 2, steps) : at + 2;
    } else if (c === '.') at = pushField(text, at + 1, steps);
    else if (c === '[') {
      const end = text.indexOf(']', at);
      if (end === -1) throw invalid(text, 'an opening [ has no ]');
      steps.push(...parseBracket(text.slice(at + 1, end)));
      at = end + 1;
    } else if (c === '"' || c === "'") {
      const end = quoteEnd(text, at);
      steps.push({ kind: 'literal', value: text.slice(at + 1, end).replaceAll(/\\(.)/g, '$1') });
      at = end + 1;
    } else if (c === ' ' || c === '@' || c === '$') at++;
    else at += pushWord(text, rest, steps);
  }
  return steps;
}

function pushField(text: string, start: number, steps: JsonPathStep[]): number {
  let end = start;
  while (end < text.length && !fieldEnd.has(text.charAt(end))) end += text.charAt(end) === '\\' ? 2 : 1;
  const name = text.slice(start, end);
  steps.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  return Math.min(end, text.length);
}

function pushWord(text: string, rest: string, steps: JsonPathStep[]): number {
  const digits = numberText.exec(rest)?.[0];
  if (digits !== undefined) {
    const value = Number(digits);
    if (Number.isNaN(value)) throw invalid(text, `${digits} is not a number`);
    steps.push({ kind: 'literal', value });
    return digits.length;
  }
  const word = wordText.exec(rest)?.[0];
  if (word !== 'true' && word !== 'false') throw invalid(text, `unrecognized ${word ?? `character ${rest.charAt(0)}`}`);
  steps.push({ kind: 'literal', value: word === 'true' });
  return word.length;
}

function parseBracket(inner: string): readonly JsonPathStep[] {
  const parts = inner.split(',');
  if (parts.length > 1) return [{ kind: 'union', branches: parts.map((part) => parseBracket(part.trim())) }];
  if (inner === '*') return [{ kind: 'index', single: false }];
  const key = /^'([^']*)'$/.exec(inner)?.[1];
  if (key !== undefined) return parseJsonPath(`.${key}`);
  const slice = sliceText.exec(inner);
  if (!slice || inner === '') throw invalid(`[${inner}]`, 'not an index, a slice or a quoted name');
  const [, start, end, step] = slice;
  const number = (name: string, digits: string | undefined) => (digits ? { [name]: Number(digits) } : {});
  if (step && Number(step) <= 0) throw invalid(`[${inner}]`, 'a step is above 0');
  return [
    {
      kind: 'index',
      single: end === undefined,
      ...number('start', start),
      ...number('end', end),
      ...number('step', step),
    },
  ];
}

function parseFilter(inner: string): FilterStep {
  const split = /^([^!<>=]+)([!<>=]+)(.+)$/.exec(inner);
  if (!split) return { kind: 'filter', left: parseJsonPath(inner) };
  const [, left = '', operator = '', right = ''] = split;
  if (!operators.has(operator)) throw invalid(inner, `unrecognized filter operator ${operator}`);
  return {
    kind: 'filter',
    left: parseJsonPath(left),
    comparison: { operator: operator as Comparison['operator'], right: parseJsonPath(right) },
  };
}

/** Where the `)]` of a filter stands; a bracket inside quotes does not count. */
function filterEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"' || c === "'") at = quoteEnd(text, at);
    else if (c === ')') {
      if (text.charAt(at + 1) !== ']') throw invalid(text, 'a filter ends with )]');
      return at;
    }
  }
  throw invalid(text, 'a filter has no end');
}

function quoteEnd(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++;
    else if (text.charAt(at) === quote) return at;
  }
  throw invalid(text, 'a quoted string has no end');
}

const invalid = (text: string, why: string) => new JsonPathError('table-jsonpath-invalid', `JSONPath ${text}: ${why}`);
