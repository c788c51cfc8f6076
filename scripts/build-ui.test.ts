import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';

const folder = new URL('../dist/ui/', import.meta.url);
const names = readdirSync(folder);
const read = (name: string) => readFileSync(new URL(name, folder));

describe('the files of the page', () => {
  it('have names that change with their content, and a brotli form', () => {
    const plain = names.filter((name) => !name.endsWith('.br'));
    expect(plain.map((name) => name.replace(/-[A-Z0-9]{8}\./, '-#.')).sort()).toEqual([
      'app-#.js',
      'icon-#.svg',
      'index.html',
      'style-#.css',
    ]);
    for (const name of plain) expect(brotliDecompressSync(read(`${name}.br`)).equals(read(name)), name).toBe(true);
  });

  it('have at most 40 KB of gzip script', () => {
    const script = names.find((name) => name.endsWith('.js'))!;
    expect(gzipSync(read(script), { level: 9 }).length).toBeLessThanOrEqual(40 * 1024);
  });

  it('refer to each other and to nothing elsewhere', () => {
    const page = read('index.html').toString();
    const links = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link]) => link!);
    expect(links).toHaveLength(3);
    for (const link of links) expect(names).toContain(link.slice(1));
    const style = names.find((name) => name.endsWith('.css'))!;
    expect(read(style).toString()).not.toMatch(/url\(|@import/);
  });
});
