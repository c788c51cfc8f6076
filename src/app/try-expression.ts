/** An expression tried on files: what `cel` and `jp` do. It prints nothing and knows no options. */
import { systemClock } from '../base/index.ts';
import { type Files, manifestFiles, placeOf, readDocuments } from '../manifests/index.ts';
import { celLanguage } from './cel-language.ts';
import type { ExpressionAnswer, ExpressionLanguage } from './expression-language.ts';
import { jmespathLanguage } from './jmespath-language.ts';

export { completeExpression, isIncomplete } from './complete-expression.ts';
export { celLanguage };

export const jmespathLanguageFor = (options: { readonly isRequest: boolean }): ExpressionLanguage =>
  jmespathLanguage({ clock: systemClock, random: Math.random, ...options });

/** A document that an expression is tried on, with its place; none of both without files. */
export interface TriedDocument {
  readonly value: unknown;
  readonly place?: string;
}

export interface PlacedAnswer extends ExpressionAnswer {
  readonly place?: string;
}

/** All documents of the files and folders; one that is null without any. */
export function readTriedDocuments(files: Files, paths: readonly string[]): readonly TriedDocument[] {
  if (paths.length === 0) return [{ value: null }];
  return paths
    .flatMap((path) => [...manifestFiles(files, path)].flatMap((file) => readDocuments(files, file)))
    .map((written) => ({ value: written.value, place: placeOf(written) }));
}

/** Throws SupercargoError for an expression that is wrong. Each answer is worked out when it is read. */
export function tryExpression(
  language: ExpressionLanguage,
  expression: string,
  documents: readonly TriedDocument[],
): { readonly type?: string; readonly answers: Iterable<PlacedAnswer> } {
  const { type, evaluate } = language.compile(expression);
  function* answers() {
    for (const { value, place } of documents) yield { ...(place === undefined ? {} : { place }), ...evaluate(value) };
  }
  return { ...(type === undefined ? {} : { type }), answers: answers() };
}
