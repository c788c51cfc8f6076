import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(`${root}docs/architecture.md`, 'utf8');
const paths = [...page.matchAll(/`((?:src|test|docs|manifests)\/[\w./-]+)`/g)].map(([, path]) => path!);

describe('docs/architecture.md', () => {
  it('names files and folders that exist', () => {
    expect(paths.length).toBeGreaterThan(50);
    expect([...new Set(paths)].filter((path) => !existsSync(`${root}${path}`))).toEqual([]);
  });

  it('describes every folder of src', () => {
    const folders = readdirSync(`${root}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).filter((name) => !paths.includes(`src/${name}`))).toEqual([]);
  });

  it('explains each term once', () => {
    const glossary = page.slice(page.indexOf('## Glossary'), page.indexOf('## Three walks'));
    const terms = [...glossary.matchAll(/^\| ([^|]+) \|/gm)].map(([, term]) => term!).slice(1);
    expect(terms.length).toBeGreaterThan(30);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
