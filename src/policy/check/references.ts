import { posix } from 'node:path';
import { isJsonObject } from '../../base/index.ts';
import { cut } from './issues.ts';
import type { RuleCheck } from './rule-context.ts';

/** Checks that the target of each `$(…)` exists. Its value is resolved at evaluation. */
export function checkReferences({ rule, path, issues }: RuleCheck): void {
  let places: ReadonlySet<string> | undefined;
  const visit = (value: unknown, pointer: string): void => {
    if (typeof value === 'string') {
      for (const reference of referencesIn(value)) {
        places ??= new Set(pointersOf(rule, ''));
        if (places.has(targetOf(reference, pointer))) continue;
        issues.error(
          'policy-reference',
          path,
          `the reference $(${cut(reference)}) at ${cut(pointer)} leads to no field; write \\$(…) for plain text`,
        );
      }
    } else if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) visit(item, `${pointer}/${i}`);
    } else if (isJsonObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, `${pointer}/${key}`);
    }
  };
  visit(rule, '');
}

/** What is between the brackets; a reference ends at the last bracket before a space. */
function referencesIn(text: string): string[] {
  if (!text.includes('$(')) return [];
  return text.split(' ').flatMap((word) => {
    const open = word.indexOf('$(');
    const close = word.lastIndexOf(')');
    return open < 0 || word[open - 1] === '\\' || close < open + 3 ? [] : [word.slice(open + 2, close)];
  });
}

function targetOf(reference: string, pointer: string): string {
  const relative = reference.replace(/^(>=|<=|>|<|!)/, '');
  const target = posix.isAbsolute(relative) ? relative : posix.join(pointer, relative);
  return target.split('/').map(withoutAnchor).join('/');
}

function* pointersOf(value: unknown, pointer: string): Generator<string> {
  yield pointer;
  if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* pointersOf(item, `${pointer}/${i}`);
  else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) yield* pointersOf(item, `${pointer}/${withoutAnchor(key)}`);
  }
}

function withoutAnchor(key: string): string {
  return /^[+<=X^]?\(.+\)$/.test(key) ? key.slice(key.indexOf('(') + 1, -1) : key;
}
