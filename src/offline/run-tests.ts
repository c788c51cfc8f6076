import { basename, dirname, join } from 'node:path';
import { UsageError } from '../base/index.ts';
import { type Files, filesNamed } from '../manifests/index.ts';
import { loadTests, type TestSpec } from './test-file.ts';
import { checkTest, type Row } from './test-rows.ts';
import { setUpTest } from './test-setup.ts';

export interface TestRow extends Row {
  /** The name of the test. */
  readonly test: string;
  readonly file: string;
}

export interface TestSummary {
  readonly tests: number;
  readonly rows: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Test files below the folders; a path may also name a file. */
export function findTests(files: Files, paths: readonly string[], fileName: string): readonly string[] {
  const found = paths.flatMap((path) => (files.isDirectory(path) ? [...filesNamed(files, path, fileName)] : [path]));
  if (paths.length > 0 && found.length === 0)
    throw new UsageError('offline-no-tests', `there is no ${fileName} in ${paths.join(', ')}`);
  return [...new Set(found)];
}

/** Test files of the folders in a list, one folder per line. Relative to the working directory. */
export function listedTests(files: Files, list: string, fileName: string): readonly string[] {
  return files
    .read(list)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => (basename(line) === fileName ? line : join(line, fileName)));
}

/** Runs the tests of one file. */
export function runTestFile(files: Files, file: string, now: number): readonly TestRow[] {
  return loadTests(files, file).flatMap((test) => runTest(files, file, test, now));
}

function runTest(files: Files, file: string, test: TestSpec, now: number): readonly TestRow[] {
  const name = nameOf(test, file);
  return checkTest(test, setUpTest(files, file, test, now)).map((row) => ({ test: name, file, ...row }));
}

/** Most tests have the name of their file; the folder says more. */
function nameOf({ metadata, name }: TestSpec, file: string): string {
  const written = metadata?.name ?? name;
  return written && written !== basename(file) ? written : basename(dirname(file));
}

export function summarise(tests: number, rows: readonly Row[]): TestSummary {
  const count = (outcome: Row['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  return { tests, rows: rows.length, passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}
