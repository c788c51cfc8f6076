import { isJsonObject } from '../../base/index.ts';

/** The position of the Pod inside the controller, as a path and as an expression. */
export interface Nesting {
  readonly path: string;
  readonly expression: string;
}

export const inTemplate: Nesting = { path: 'spec/template', expression: 'spec.template' };
export const inJobTemplate: Nesting = {
  path: 'spec/jobTemplate/spec/template',
  expression: 'spec.jobTemplate.spec.template',
};

/**
 * The same data with every mention of the Pod in expressions changed to the Pod inside its controller. Mentions are
 * found by text, in keys and values, messages and names, as users of the language have come to rely on. A CEL rule
 * says `object`, the others `request.object`.
 */
export function shiftExpressions<T>(value: T, nesting: Nesting, cel: boolean): T {
  const prefix = cel ? '' : 'request.';
  const replacements = ['object', 'oldObject'].flatMap((root) =>
    ['spec', 'metadata'].map((field): [string, string] => [
      `${prefix}${root}.${field}`,
      `${prefix}${root}.${nesting.expression}.${field}`,
    ]),
  );
  const text = (old: string): string => {
    if (!old.includes('bject.')) return old;
    return replacements.reduce((shifted, [from, to]) => shifted.replaceAll(from, to), old);
  };
  return mapStrings(value, text) as T;
}

function mapStrings(value: unknown, text: (old: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, text));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), mapStrings(item, text)]));
}

/**
 * A message with its `$(…)` references into the rule's own pattern changed to where the pattern has moved to. `pivot`
 * is the field the pattern is in. For `anyPattern` the place to shift at gets longer with every reference, so that in
 * practice only the first one is right: known behaviour, kept.
 */
export function shiftReferences(message: string, nesting: Nesting, pivot: string): string {
  let shifted = '';
  let copied = 0;
  let place = pivot;
  for (const { start, end } of findReferences(message)) {
    const reference = message.slice(start, end);
    if (pivot === 'anyPattern') {
      const index = reference.slice(reference.indexOf(place) + place.length + 1);
      place += `/${index.slice(0, index.indexOf('/') < 0 ? undefined : index.indexOf('/'))}`;
      // Real references are shorter, and the shift must not grow with the message.
      if (place.length > 1000) break;
    }
    shifted += message.slice(copied, start) + reference.replaceAll(place, `${place}/${nesting.path}`);
    copied = end;
  }
  return shifted + message.slice(copied);
}

/**
 * Where `$(…)` stands: after its first character up to the last bracket before a space, and not after a backslash. By
 * hand, so that a message of nothing but opened references costs no more than its length.
 */
function findReferences(text: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  let from = 0;
  let run = { end: -1, close: -1 };
  for (;;) {
    const start = text.indexOf('$(', from);
    if (start < 0) return found;
    const body = start + 3;
    if (body > run.end) {
      const space = text.indexOf(' ', body);
      const end = space < 0 ? text.length : space;
      const close = text.slice(body, end).lastIndexOf(')');
      run = { end, close: close < 0 ? -1 : body + close };
    }
    // The preceding character is part of the match, so two references cannot be adjacent.
    const isFree = start === 0 || (text[start - 1] !== '\\' && start > (found.at(-1)?.end ?? 0));
    if (isFree && text[start + 2] !== '\n' && run.close >= body) {
      found.push({ start, end: run.close + 1 });
      from = run.close + 1;
    } else {
      from = start + 1;
    }
  }
}
