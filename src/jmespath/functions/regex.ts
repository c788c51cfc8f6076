import { LRUCache } from 'lru-cache';
import { type Matcher, RE2JS, RE2JSException } from 're2js';
import { expandTemplate } from '../../base/index.ts';
import { invalid } from '../errors.ts';
import { maxPatternLength } from '../limits.ts';
import type { Run } from '../run.ts';
import { scalarText } from './go-number.ts';
import { define, type FunctionSpec } from './signature.ts';
import { matchesWildcard } from './wildcard.ts';

type Scalar = string | number | bigint;

/** Kyverno's functions on patterns. Regular expressions are RE2: linear in the text, whoever wrote the pattern. */
export const regexFunctions: readonly FunctionSpec[] = [
  define('regex_match', ['string', 'string|number'], (run, pattern: string, subject: Scalar) => {
    const text = scalarText(subject) as string;
    const { regex, size } = compileRegex(pattern, run);
    run.charge(1 + (text.length * size) / 64);
    return regex.test(text);
  }),
  define('regex_replace_all', replaceTypes(), (run, pattern: string, subject: Scalar, replacement: Scalar) => {
    const template = scalarText(replacement) as string;
    return replaceEach(pattern, subject, run, (matcher) => expandTemplate(template, matcher));
  }),
  define('regex_replace_all_literal', replaceTypes(), (run, pattern: string, subject: Scalar, replacement: Scalar) => {
    const text = scalarText(replacement) as string;
    return replaceEach(pattern, subject, run, () => text);
  }),
  define('pattern_match', ['string', 'string|number'], (run, pattern: string, subject: Scalar) => {
    const text = scalarText(subject) as string;
    run.charge(1 + (text.length * pattern.length) / 256);
    return matchesWildcard(pattern, text);
  }),
];

function replaceTypes(): string[] {
  return ['string', 'string|number', 'string|number'];
}

interface CompiledRegex {
  readonly regex: RE2JS;
  /** Instructions of the program: what a character can cost. */
  readonly size: number;
  /** A search reads hardly further than its match ends. */
  readonly isLocal: boolean;
}

// Plain characters, escapes and classes, and nothing unbounded but perhaps the last of them.
const localPattern = /^(?:[^\\[\](){}*+?|^$]|\\[^pPQ]|\[(?:[^\\\]]|\\.)+\]|\?)+[*+]?$/;

const compiled = new LRUCache<string, CompiledRegex>({
  max: 500,
  maxSize: 4_000_000,
  sizeCalculation: (r) => r.size + 100,
});

function compileRegex(pattern: string, run: Run): CompiledRegex {
  const known = compiled.get(pattern);
  if (known) return known;
  if (pattern.length > maxPatternLength) throw invalid(`the pattern is longer than ${maxPatternLength} characters`);
  try {
    const regex = RE2JS.compile(pattern);
    const size = regex.programSize();
    run.charge(size / 8);
    const fresh = { regex, size, isLocal: localPattern.test(pattern) };
    compiled.set(pattern, fresh);
    return fresh;
  } catch (thrown) {
    if (thrown instanceof RE2JSException) throw invalid(thrown.message, thrown);
    throw thrown;
  }
}

/** Searches that keep groups run on the slow engine: some 50 ns for a character and an instruction. */
const searchedPerUnit = 8;

function replaceEach(pattern: string, subject: Scalar, run: Run, replacement: (matcher: Matcher) => string): string {
  const text = scalarText(subject) as string;
  const { regex, size, isLocal } = compileRegex(pattern, run);
  run.charge(1 + (text.length * size) / 64);
  if (!regex.test(text)) return text;
  const matcher = regex.matcher(text);
  let result = '';
  let copied = 0;
  let lastEnd = -1;
  for (let from = 0; from <= text.length; ) {
    // A search may have to read to the end of the text before it knows where its match ends.
    if (!isLocal) run.charge(1 + ((text.length - from) * size) / searchedPerUnit);
    if (!matcher.find(from)) break;
    const start = matcher.start();
    const end = matcher.end();
    if (isLocal) run.charge(1 + ((end - from + 32) * size) / searchedPerUnit);
    // Nothing found right after a match is no second match.
    if (end > start || start !== lastEnd) {
      const piece = replacement(matcher);
      run.chargeText(piece.length);
      result += text.slice(copied, start) + piece;
      copied = end;
      lastEnd = end;
    }
    from = end > start ? end : end + characterWidth(text, end);
  }
  return result + text.slice(copied);
}

function characterWidth(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}
