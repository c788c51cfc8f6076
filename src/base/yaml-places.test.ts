import { expect, it } from 'vitest';
import { lineAt, locateYaml } from './yaml-places.ts';

const text = `# a comment
kind: Pod
spec:
  containers:
    - name: a
      image: x
    - name: b
      image: |
        several
---
- {one: 1,
   two: 2}
- *none
`;

it.each([
  [['kind'], 2],
  [['spec', 'containers', '0', 'image'], 6],
  [['spec', 'containers', '1'], 7],
  [['spec', 'containers', '1', 'image', 'no', 'more'], 8],
  [['spec', 'volumes'], 3],
  [[], 2],
] as const)('finds the line of %j', (path, line) => {
  expect(lineAt(locateYaml(text)[0]!, path)).toBe(line);
});

it('finds values of later documents, and of a text that is part of a file', () => {
  const [, second] = locateYaml(text, 101);
  expect(lineAt(second!, ['0', 'two'])).toBe(112);
  expect(lineAt(second!, ['1'])).toBe(113);
});

it('reads JSON, and rejects text that cannot be parsed', () => {
  const [document] = locateYaml('{"items": [\n  {"kind": "Pod",\n   "spec": {}}\n]}\n');
  expect(lineAt(document!, ['items', '0', 'spec'])).toBe(3);
  expect(locateYaml('a: [')).toEqual(expect.any(Array));
});
