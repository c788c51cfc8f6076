import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('every promise of docs/security.md names a test that exists', () => {
  const text = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!promise|actor|---)/.test(line) && line.includes('.test.ts'));
  expect(rows.length).toBeGreaterThan(20);
  const files = [...text.matchAll(/`([\w./-]+\.test\.ts)`/g)].map((match) => match[1]!);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
