/**
 * Runs conformance tests and prints the rows that failed, with reasons: `npx tsx test/conformance/run.ts [filter…]`.
 * Without the shared corpus only the project's own cases run. `--skipped` prints what is not supported too.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { errorMessage } from '../../src/base/index.ts';
import { findTests, nodeFiles, runTestFile, summarise, type TestRow } from '../../src/offline/index.ts';
import { corpusFolder } from './corpus.ts';

const own = fileURLToPath(new URL('.', import.meta.url));
const filters = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const showsSkipped = process.argv.includes('--skipped');
const folders = [own, ...(existsSync(corpusFolder) ? [corpusFolder] : [])];
const tests = findTests(nodeFiles(), folders, 'kyverno-test.yaml').filter((file) =>
  filters.every((filter) => file.includes(filter)),
);

const rows: TestRow[] = [];
const broken: string[] = [];
for (const file of tests) {
  try {
    rows.push(...runTestFile(nodeFiles(), file, Date.now()));
  } catch (thrown) {
    broken.push(
      `${file}: ${thrown instanceof Error && thrown.constructor === Error ? thrown.stack : errorMessage(thrown)}`,
    );
  }
}
for (const row of rows) {
  if (row.outcome === 'passed' || (row.outcome === 'skipped' && !showsSkipped)) continue;
  console.log(
    `${row.outcome.toUpperCase()} ${row.file}\n  ${row.policy} / ${row.rule} on ${row.kind} ${row.resource}: expected ${row.expected}, got ${row.actual}`,
  );
  console.log(`  ${row.reason.replaceAll('\n', '\n  ')}`);
}
for (const line of broken) console.log(`BROKEN ${line}`);
console.log(JSON.stringify({ ...summarise(tests.length, rows), broken: broken.length }));
