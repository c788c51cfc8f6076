import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { compileImagePattern } from './pattern.ts';

it('the table of patterns in the manual matches the code', () => {
  const manual = readFileSync(new URL('../../docs/detection.md', import.meta.url), 'utf8');
  const header = manual.split('\n').find((line) => line.startsWith('| pattern | `'))!;
  const cells = (line: string) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  const repositories = cells(header).slice(1, -1);
  const rows = manual.split('\n').filter((line) => /^\| `(?:repository|imageName|image)Pattern: /.test(line));
  expect(rows.length).toBe(7);
  for (const row of rows) {
    const [pattern = '', ...expected] = cells(row);
    const [field = '', text = ''] = pattern.split(': ');
    const matcher = compileImagePattern({ [field]: text });
    const found = repositories.map((path) => (matcher.hasRepository(path) ? 'yes' : 'no'));
    expect(found, pattern).toEqual(expected.slice(0, -1));
    expect(matcher.hasTag('v1'), pattern).toBe(expected.at(-1) === 'all' || expected.at(-1)!.includes('with v'));
  }
});
