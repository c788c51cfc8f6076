import {
  DEFAULT_SCALAR_STYLE_RULES,
  defineScalarTag,
  dump,
  mapTag,
  NOT_RESOLVED,
  SCALAR_STYLE,
  type ScalarLayout,
  Schema,
  seqTag,
  strTag,
} from 'js-yaml';
import { needsQuotes, resolvePlain } from './yaml-scalar.ts';

export interface RenderYamlOptions {
  /** Off by default: the order of the value is kept. */
  readonly sortKeys?: boolean;
}

/**
 * Formats a value as `kubectl -o yaml` does: block style, lists not indented, long lines not folded, text with line
 * breaks as a literal block, and text that would parse as another value in double quotes.
 */
export function renderYaml(value: unknown, options: RenderYamlOptions = {}): string {
  return dump(value, {
    schema,
    noRefs: true,
    skipInvalid: true,
    seqNoIndent: true,
    lineWidth: -1,
    scalarStyleRules: [quoteAmbiguous, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
    ...(options.sortKeys ? { sortKeys: compareKeys } : {}),
  });
}

/** One tag for everything that is not text: the writer only checks whether a plain scalar would be text. */
const otherTag = defineScalarTag('tag:yaml.org,2002:other', {
  implicit: true,
  resolve: (text) => (needsQuotes(text) ? resolvePlain(text) : NOT_RESOLVED),
  identify: (value) => value === null || ['boolean', 'number', 'bigint'].includes(typeof value),
  represent: (value) => (typeof value === 'number' && !Number.isFinite(value) ? 'null' : String(value)),
});

const schema = new Schema([strTag, otherTag, seqTag, mapTag]);

function quoteAmbiguous(layout: ScalarLayout): void {
  const isText = layout.node.tag === strTag.tagName;
  if (isText && layout.style === SCALAR_STYLE.PLAIN && needsQuotes(layout.node.value)) {
    layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  }
}

/** The order of go-yaml: letters after everything else, runs of digits by their value. */
export function compareKeys(a: string, b: string): number {
  const [as, bs] = [[...a], [...b]];
  for (let i = 0; i < as.length && i < bs.length; i++) {
    if (as[i] !== bs[i]) return compareAt(as, bs, i);
  }
  return as.length - bs.length;
}

function compareAt(a: readonly string[], b: readonly string[], at: number): number {
  const isLetter = (c: string) => /\p{L}/u.test(c);
  const [x, y] = [a[at]!, b[at]!];
  if (isLetter(x) !== isLetter(y)) return isLetter(x) ? 1 : -1;
  if (!isLetter(x)) {
    // After another digit a zero is part of a longer number: 101 comes after 11.
    const lead = (x === '0' || y === '0') && isWithinNumber(a, at) ? '1' : '';
    const [m, n] = [digitsFrom(a, at), digitsFrom(b, at)];
    const [v, w] = [BigInt(lead + m || '0'), BigInt(lead + n || '0')];
    if (v !== w) return v < w ? -1 : 1;
    if (m.length !== n.length) return m.length - n.length;
  }
  return x.codePointAt(0)! - y.codePointAt(0)!;
}

function isWithinNumber(list: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && /\d/.test(list[i]!); i--) if (list[i] !== '0') return true;
  return false;
}

function digitsFrom(list: readonly string[], at: number): string {
  let end = at;
  while (end < list.length && /\d/.test(list[end]!)) end++;
  return list.slice(at, end).join('');
}
