import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../docs/decisions');
const rows = [
  ...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^\| (\d+) \| \[(.*)\]\((.*)\) \| .+ \|$/gm),
].map(([, number, title, file]) => ({ number, title, file: file! }));
const pages = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md');

it('the index of decisions lists every page once, in order, and no page that does not exist', () => {
  expect(rows.map(({ file }) => file)).toEqual(pages.sort());
});

it.each(rows)('the index has the number and the title of decision $number', ({ number, title, file }) => {
  expect(file).toMatch(new RegExp(`^0*${number}-`));
  const [heading] = readFileSync(join(folder, file), 'utf8').split('\n');
  expect(heading).toMatch(new RegExp(`^# 0*${number}\\D`));
  expect(heading?.endsWith(` ${title}`)).toBe(true);
});
