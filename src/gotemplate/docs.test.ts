import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { templateErrorCodes } from './errors.ts';
import { templateFunctions } from './functions/table.ts';
import { defaultLimits, maxNesting, maxTemplateLength } from './limits.ts';

const manual = readFileSync(new URL('../../docs/templates.md', import.meta.url), 'utf8');
const section = (title: string) => manual.split(`## ${title}\n`)[1]!.split('\n## ')[0]!;

const aliases = new Map([
  ['trimall', 'trimAll'],
  ['date_modify', 'dateModify'],
  ['date_in_zone', 'dateInZone'],
]);

/** Other spellings of functions that are in the manual. */
function plainName(name: string): string {
  const spelled = name.replace(/^must_?(?=[A-Z_d])/, '').replace(/^os(?=[A-Z])/, '');
  const first = spelled[0]!.toLowerCase() + spelled.slice(1);
  return aliases.get(first) ?? first;
}

test('the manual names every function, and none that is not there', () => {
  const table = section('Functions').split('Those that')[0]!;
  const named = new Set(
    Array.from(table.matchAll(/`(\w+)`/g), ([, name]) => name!).filter((name) => name !== 'must' && name !== 'os'),
  );
  const known = new Set(templateFunctions.filter((name) => name !== 'hello').map(plainName));
  expect([...named].filter((name) => !templateFunctions.includes(name))).toEqual([]);
  expect([...known].filter((name) => !named.has(name))).toEqual([]);
});

test('the manual names every error code, and the limits as they are', () => {
  for (const code of templateErrorCodes) expect(manual).toContain(`\`${code}\``);
  const limits = section('Limits');
  for (const limit of [defaultLimits.steps, defaultLimits.output, defaultLimits.depth, maxTemplateLength, maxNesting]) {
    expect(limits).toContain(` ${limit.toLocaleString('en')} `);
  }
  expect(limits).toContain(`${defaultLimits.timeMs / 1000} s`);
});
