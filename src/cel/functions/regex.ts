import type { RE2JS } from 're2js';
import { quoteGo } from '../../base/index.ts';
import type { FunctionDecl } from '../environment.ts';
import { intType, listType, optionalType, stringType } from '../types.ts';
import { checkSize } from '../values/effort.ts';
import { remembering } from '../values/recent.ts';
import { CelError, CelOptional, CelTypeValue, isInt, none } from '../values/values.ts';
import { declare, form, member } from './declare.ts';
import { compileRegex } from './text.ts';

function findFirst(regex: RE2JS, text: string): string {
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(regex: RE2JS, text: string, limit: number | bigint = -1): readonly string[] {
  const found: string[] = [];
  const matcher = regex.matcher(text);
  for (const _ of matches(matcher, limit)) found.push(matcher.group() ?? '');
  return found;
}

/** Steps through all matches. As in Go, an empty one right behind another does not count. */
function* matches(matcher: ReturnType<RE2JS['matcher']>, limit: number | bigint): Generator<void> {
  let end = -1;
  for (let count = 0; (limit < 0 || count < limit) && matcher.find(); ) {
    const isRepeated = matcher.start() === matcher.end() && matcher.start() === end;
    end = matcher.end();
    if (isRepeated) continue;
    count++;
    yield;
  }
}

const illegal = ({ message }: CelError) => new CelError(`Illegal regex: ${message}`);

export const regexFunctions: readonly FunctionDecl[] = [
  declare(
    'find',
    member('string_find_string', [stringType, stringType], stringType, (text: string, pattern: string) => {
      const regex = compileRegex(pattern);
      return regex instanceof CelError ? illegal(regex) : findFirst(regex, text);
    }),
  ),
  declare(
    'findAll',
    ...[
      [stringType, stringType],
      [stringType, stringType, intType],
    ].map((args) =>
      member(
        args.length === 2 ? 'string_find_all_string' : 'string_find_all_string_int',
        args,
        listType(stringType),
        (text: string, pattern: string, limit?: number | bigint) => {
          const regex = compileRegex(pattern);
          return regex instanceof CelError ? illegal(regex) : findAll(regex, text, limit);
        },
      ),
    ),
  ),
];

/** With a literal pattern, which is compiled once; one that is none is a mistake of the expression. */
export function prepareRegex(name: string, pattern: string): ((...args: unknown[]) => unknown) | CelError | undefined {
  const wanted = name === 'matches' || name === 'find' || name === 'findAll';
  if (!wanted) return undefined;
  const regex = compileRegex(pattern);
  if (regex instanceof CelError) return regex;
  const refuse = new CelError('no such overload');
  if (name === 'matches') {
    const test = remembering((text) => regex.test(text));
    return (value) => {
      const text = textIn(value);
      return text === undefined ? refuse : test(text);
    };
  }
  if (name === 'find') {
    return (value) => {
      const text = textIn(value);
      return text === undefined ? refuse : findFirst(regex, text);
    };
  }
  return (value, _, limit) => {
    const text = textIn(value);
    if (text === undefined || !isInt(limit ?? 1)) return refuse;
    return findAll(regex, text, limit as number | bigint | undefined);
  };
}

/** Without guards of their own, these look into optionals and take the names of types, as the API server does. */
function textIn(value: unknown): string | undefined {
  let inner = value;
  while (inner instanceof CelOptional) inner = inner.value;
  if (inner instanceof CelTypeValue) return inner.name;
  return typeof inner === 'string' ? inner : undefined;
}

/** `\1` is what the first group matched, `\0` the whole match, and two backslashes are one. */
function replaceAll(text: string, pattern: string, replacement: string, count: number | bigint = -1): unknown {
  if (count === 0) return text;
  const regex = compileRegex(pattern);
  if (regex instanceof CelError) return regex;
  const matcher = regex.matcher(text);
  const groups = matcher.groupCount();
  let result = '';
  let end = 0;
  for (const _ of matches(matcher, count)) {
    const written = expandReplacement(replacement, groups, (group) => matcher.group(group) ?? '');
    if (written instanceof CelError) return written;
    result += text.slice(end, matcher.start()) + written;
    checkSize(result.length);
    end = matcher.end();
  }
  return result + text.slice(end);
}

function expandReplacement(text: string, groups: number, groupAt: (group: number) => string): string | CelError {
  let refused: CelError | undefined;
  const refuse = (message: string) => {
    refused ??= new CelError(message);
    return '';
  };
  const expanded = text.replace(/\\(.?)/gsu, (_, next: string) => {
    if (next === '') return refuse(`invalid replacement string: '${text}' \\ not allowed at end`);
    if (next === '\\') return next;
    if (!/[0-9]/.test(next))
      return refuse(`invalid replacement string: '${text}' \\ must be followed by a digit or \\`);
    if (Number(next) <= groups) return groupAt(Number(next));
    return refuse(`replacement string references group ${next} but regex has only ${groups} group(s)`);
  });
  return refused ?? expanded;
}

/** What the one group of the pattern matched, or the whole match without a group. */
function extracted(text: string, pattern: string, isAll: boolean): unknown {
  const regex = compileRegex(pattern);
  if (regex instanceof CelError) return regex;
  const matcher = regex.matcher(text);
  const groups = matcher.groupCount();
  if (groups > 1) return new CelError(`regular expression has more than one capturing group: ${quoteGo(pattern)}`);
  const found: string[] = [];
  for (const _ of matches(matcher, isAll ? -1 : 1)) {
    // A group that matched nothing counts as none, a whole match counts even if it is empty.
    const part = groups === 1 ? matcher.group(1) || undefined : (matcher.group() ?? '');
    if (part !== undefined) found.push(part);
  }
  if (isAll) return found;
  return found[0] === undefined ? none : new CelOptional(found[0]);
}

/** The `regex` library of cel-go. */
export const regexExtensionFunctions: readonly FunctionDecl[] = [
  declare(
    'regex.replace',
    form('regex_replace_string_string_string', [stringType, stringType, stringType], stringType, replaceAll),
    form(
      'regex_replace_string_string_string_int',
      [stringType, stringType, stringType, intType],
      stringType,
      replaceAll,
    ),
  ),
  declare(
    'regex.extract',
    form(
      'regex_extract_string_string',
      [stringType, stringType],
      optionalType(stringType),
      (text: string, pattern: string) => extracted(text, pattern, false),
    ),
  ),
  declare(
    'regex.extractAll',
    form(
      'regex_extractAll_string_string',
      [stringType, stringType],
      listType(stringType),
      (text: string, pattern: string) => extracted(text, pattern, true),
    ),
  ),
];
