import { LRUCache } from 'lru-cache';
import { type Matcher, RE2JS, RE2JSException } from 're2js';
import { expandTemplate } from '../../base/index.ts';
import { CallFailure } from '../errors.ts';
import { canBackquote, quote } from '../format/quote.ts';
import { maxPatternLength } from '../limits.ts';
import type { Run } from '../run.ts';
import { nilList, type Value, withElements } from '../values.ts';
import { defineRunning, type FunctionSpec } from './signature.ts';

interface Pattern {
  readonly regex: RE2JS;
  /** Instructions of the program: what a character can cost. */
  readonly size: number;
}

const patterns = new LRUCache<string, Pattern>({ max: 500, maxSize: 4_000_000, sizeCalculation: (p) => p.size + 100 });

function compile(run: Run, pattern: string): Pattern {
  const known = patterns.get(pattern);
  if (known) return known;
  if (pattern.length > maxPatternLength)
    throw new CallFailure(`the pattern is longer than ${maxPatternLength} characters`);
  try {
    const regex = RE2JS.compile(pattern);
    const fresh = { regex, size: regex.programSize() };
    run.step(fresh.size);
    patterns.set(pattern, fresh);
    return fresh;
  } catch (thrown) {
    if (thrown instanceof RE2JSException) throw new CallFailure(thrown.message);
    throw thrown;
  }
}

/** A pattern ready for a text; the search is paid for before it is made. */
function prepare(run: Run, pattern: string, text: string): RE2JS {
  const { regex, size } = compile(run, pattern);
  run.step(1 + Math.ceil((text.length * size) / 32));
  return regex;
}

/** Go's FindAll: matches that do not overlap; an empty one right behind the match before does not count. */
function* matches(run: Run, regex: RE2JS, text: string, limit: number): Generator<Matcher> {
  const matcher = regex.matcher(text);
  let lastEnd = -1;
  let count = 0;
  for (let at = 0; (limit < 0 || count < limit) && at <= text.length && matcher.find(at); ) {
    run.step(2);
    const [start, end] = [matcher.start(), matcher.end()];
    if (start !== end || start !== lastEnd) {
      lastEnd = end;
      count++;
      yield matcher;
    }
    at = end > start ? end : end + characterLength(text, end);
  }
}

const characterLength = (text: string, at: number) => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

type Search = (run: Run, pattern: string, text: string) => Value;
type Counted = (run: Run, pattern: string, text: string, count: number) => Value;
type Replacement = (run: Run, pattern: string, text: string, replacement: string) => Value;

const find: Search = (run, pattern, text) => {
  for (const matcher of matches(run, prepare(run, pattern, text), text, 1)) return matcher.group() ?? '';
  return '';
};

const findAll: Counted = (run, pattern, text, count) => {
  const found = Array.from(matches(run, prepare(run, pattern, text), text, count), (matcher) => matcher.group() ?? '');
  return found.length === 0 ? nilList('string') : withElements(found, 'string');
};

const replacing =
  (expand: (template: string, matcher: Matcher) => string): Replacement =>
  (run, pattern, text, replacement) => {
    let result = '';
    let end = 0;
    for (const matcher of matches(run, prepare(run, pattern, text), text, -1)) {
      result += text.slice(end, matcher.start()) + expand(replacement, matcher);
      if (result.length > run.env.limits.output) run.charge(result.length);
      end = matcher.end();
    }
    return result + text.slice(end);
  };

const split: Counted = (run, pattern, text, count) => {
  if (count === 0) return nilList('string');
  if (pattern !== '' && text === '') return withElements([''], 'string');
  const parts: string[] = [];
  let start = 0;
  let lastEnd = 0;
  for (const matcher of matches(run, prepare(run, pattern, text), text, count)) {
    if (count > 0 && parts.length === count - 1) break;
    lastEnd = matcher.start();
    if (matcher.end() !== 0) parts.push(text.slice(start, lastEnd));
    start = matcher.end();
  }
  if (lastEnd !== text.length) parts.push(text.slice(start));
  return withElements(parts, 'string');
};

/** Like the one without `must`, which answers false for a pattern that is none. */
const match: Search = (run, pattern, text) => prepare(run, pattern, text).test(text);
const quietMatch: Search = (run, pattern, text) => {
  try {
    return match(run, pattern, text);
  } catch (thrown) {
    if (thrown instanceof CallFailure) return false;
    throw thrown;
  }
};

/** Functions without `must` panic where those with it fail; the message says so. */
function asPanic<A extends unknown[]>(
  work: (run: Run, pattern: string, ...rest: A) => Value,
): (run: Run, pattern: string, ...rest: A) => Value {
  return (run, pattern, ...rest) => {
    try {
      return work(run, pattern, ...rest);
    } catch (thrown) {
      if (!(thrown instanceof CallFailure)) throw thrown;
      const shown = canBackquote(pattern) ? `\`${pattern}\`` : quote(pattern);
      throw new CallFailure(`regexp: Compile(${shown}): ${thrown.message}`);
    }
  };
}

const replaceExpanded = replacing(expandTemplate);
const replaceLiteral = replacing((replacement) => replacement);

export const regexFunctions: readonly FunctionSpec[] = defineRunning({
  'regexMatch(string, string)': quietMatch,
  'mustRegexMatch(string, string)': match,
  'regexFind(string, string)': asPanic(find),
  'mustRegexFind(string, string)': find,
  'regexFindAll(string, string, int)': asPanic(findAll),
  'mustRegexFindAll(string, string, int)': findAll,
  'regexReplaceAll(string, string, string)': asPanic(replaceExpanded),
  'mustRegexReplaceAll(string, string, string)': replaceExpanded,
  'regexReplaceAllLiteral(string, string, string)': asPanic(replaceLiteral),
  'mustRegexReplaceAllLiteral(string, string, string)': replaceLiteral,
  'regexSplit(string, string, int)': asPanic(split),
  'mustRegexSplit(string, string, int)': split,
  'regexQuoteMeta(string)': (_, text: string) => text.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&'),
});
