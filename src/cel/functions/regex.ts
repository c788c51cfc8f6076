import type { RE2JS } from 're2js';
import type { FunctionDecl } from '../environment.ts';
import { intType, listType, stringType } from '../types.ts';
import { remembering } from '../values/recent.ts';
import { CelError, CelOptional } from '../values/values.ts';
import { declare, member } from './declare.ts';
import { compileRegex } from './text.ts';

function findFirst(regex: RE2JS, text: string): string {
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(regex: RE2JS, text: string, limit: number | bigint = -1): readonly string[] {
  const found: string[] = [];
  const matcher = regex.matcher(text);
  while ((limit < 0 || found.length < limit) && matcher.find()) found.push(matcher.group() ?? '');
  return found;
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

/** With a literal pattern, which is compiled once. */
export function prepareRegex(name: string, pattern: string): ((...args: unknown[]) => unknown) | undefined {
  const wanted = name === 'matches' || name === 'find' || name === 'findAll';
  if (!wanted) return undefined;
  const regex = compileRegex(pattern);
  if (regex instanceof CelError) return undefined;
  const refuse = new CelError('no such overload');
  if (name === 'matches') {
    const test = remembering((text) => regex.test(text));
    return (text) => (typeof text === 'string' ? test(text) : refuse);
  }
  // Without a guard of their own, these two look into an optional, as the API server does.
  if (name === 'find') {
    return (value) => {
      const text = value instanceof CelOptional ? value.value : value;
      return typeof text === 'string' ? findFirst(regex, text) : refuse;
    };
  }
  return (value, _, limit) => {
    const text = value instanceof CelOptional ? value.value : value;
    return typeof text === 'string' ? findAll(regex, text, limit as number | undefined) : refuse;
  };
}
