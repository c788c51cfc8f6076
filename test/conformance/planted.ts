import path from 'node:path';
import { isJsonObject, parseYamlDocuments } from '../../src/base/index.ts';
import type { Files } from '../../src/offline/index.ts';

type Change = (document: Record<string, unknown>) => Record<string, unknown>;

/** The files with the documents of some of them changed on the way. */
export function withChanges(files: Files, changes: ReadonlyMap<string, Change>): Files {
  return {
    ...files,
    read(file) {
      const change = changes.get(path.normalize(file));
      const text = files.read(file);
      if (!change) return text;
      const documents = parseYamlDocuments(text).map(({ value }) =>
        isJsonObject(value) ? change({ ...value }) : value,
      );
      return documents.map((document) => JSON.stringify(document)).join('\n---\n');
    },
  };
}

interface Expectation {
  readonly result: string;
  readonly patchedResources?: string;
  readonly generatedResource?: string;
}

export function expectationsOf(files: Files, file: string): readonly Expectation[] {
  return parseYamlDocuments(files.read(file)).flatMap(
    ({ value }) => (value as { results?: readonly Expectation[] }).results ?? [],
  );
}

const opposites: Readonly<Record<string, string>> = {
  pass: 'fail',
  fail: 'pass',
  skip: 'fail',
  error: 'pass',
  warn: 'pass',
};

/** A test whose every row expects something else. */
export const flipResults: Change = ({ results, ...rest }) => ({
  ...rest,
  results: (results as readonly Expectation[]).map((row) => ({ ...row, result: opposites[row.result] })),
});

/** An object that nobody could have made. */
export const disturb: Change = ({ metadata, ...rest }) => ({
  ...rest,
  metadata: { ...(metadata as object), annotations: { planted: 'this is never written' } },
});
