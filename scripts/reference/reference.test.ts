import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configOf } from '../../src/app/config.ts';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { referencePages } from './index.ts';

const folder = new URL('../../docs/reference/', import.meta.url);

const hint = 'run npm run generate:reference';
const codesOf = (page: string) => [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, code]) => code);

describe('docs/reference', () => {
  it.each(referencePages().map(({ file, text }) => [file, text] as const))('%s is up to date', (file, text) => {
    const stored = readFileSync(new URL(file, folder), 'utf8');
    // The wording of a message may change more often than the page is written.
    if (file === 'errors.md') expect(codesOf(stored), hint).toEqual(codesOf(text));
    else expect(stored, hint).toBe(text);
  });

  it('shows a configuration file that is valid', () => {
    const page = referencePages().find(({ file }) => file === 'configuration.md')!.text;
    const [, yaml] = /```yaml\n([\s\S]*?)```/.exec(page)!;
    expect(() => configOf(JSON.parse(JSON.stringify(parseYamlDocuments(yaml!, {})[0]?.value)))).not.toThrow();
  });

  it('has no value that is shown as an object', () => {
    for (const { text } of referencePages()) expect(text).not.toContain('[object ');
  });

  it('lists codes that users see', () => {
    const page = referencePages().find(({ file }) => file === 'errors.md')!.text;
    for (const code of ['config-invalid', 'cluster-unreachable', 'git-auth-failed', 'policy-field-unknown'])
      expect(page).toContain(`| \`${code}\` |`);
  });
});
