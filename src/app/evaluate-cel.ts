/** A CEL expression tried on files: what `cel` does. It prints nothing and knows no options. */
import { CelError, compile, dynType, renderType, toJson } from '../cel/index.ts';
import { type Files, manifestFiles, placeOf, readDocuments } from '../manifests/index.ts';

/** What an expression gives for one document: a value as JSON or an error, and what it cost. */
export interface CelAnswer {
  /** Where the document is written; absent without documents. */
  readonly place?: string;
  readonly value?: unknown;
  readonly error?: string;
  readonly cost: number;
}

export interface CelAnswers {
  readonly type: string;
  readonly answers: readonly CelAnswer[];
}

/** Throws CelCompileError for an expression that is wrong. Without files the expression is evaluated once. */
export function evaluateCel(files: Files, expression: string, paths: readonly string[]): CelAnswers {
  const program = compile(expression, {
    variables: new Map([
      ['object', dynType],
      ['oldObject', dynType],
    ]),
  });
  const evaluate = (object: unknown, place?: string): CelAnswer => {
    const { value, cost } = program.evaluate([object, null]);
    const told = value instanceof CelError ? { error: value.message } : { value: toJson(value) };
    return { ...(place === undefined ? {} : { place }), ...told, cost };
  };
  const type = renderType(program.type);
  if (paths.length === 0) return { type, answers: [evaluate(null)] };
  const documents = paths.flatMap((path) =>
    [...manifestFiles(files, path)].flatMap((file) => readDocuments(files, file)),
  );
  return { type, answers: documents.map((written) => evaluate(written.value, placeOf(written))) };
}
