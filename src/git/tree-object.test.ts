import { expect, test } from 'vitest';
import { describeEntry, parseTree } from './tree-object.ts';

const entry = (mode: string, name: string, bytes: number) =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.alloc(bytes, 0x20)]);

test.each([20, 32])('a tree with hashes of %i bytes is parsed', (bytes) => {
  const names = { 'a b': '100644', é: '40000', old: '040000', link: '120000', module: '160000', run: '100755' };
  const content = Buffer.concat(Object.entries(names).map(([name, mode]) => entry(mode, name, bytes)));
  const entries = parseTree(content, bytes);
  expect([...entries].map(([name, { mode, object }]) => [name, mode, object])).toEqual(
    Object.entries(names).map(([name, mode]) => [name, mode.replace(/^0/, ''), '20'.repeat(bytes)]),
  );
  expect([...entries.values()].map(describeEntry)).toEqual([
    'a file',
    'a folder',
    'a folder',
    'a symbolic link',
    'a submodule',
    'a file',
  ]);
});
