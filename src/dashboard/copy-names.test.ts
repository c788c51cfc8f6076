import { expect, it } from 'vitest';
import { CopyNames } from './copy-names.ts';
import type { CopyFact } from './facts.ts';
import { imageNameOf } from './image-id.ts';

const digest = (letter: string) => `sha256:${letter.repeat(64)}`;
const copyOf = (copy: string, of = '') => ({ copy, digest: of, source: `source of ${copy}` }) as CopyFact;

function names(...facts: readonly CopyFact[]) {
  const known = new CopyNames();
  for (const fact of facts) known.add(fact);
  return { known, find: (text: string) => known.find(imageNameOf(text))?.copy };
}

it('finds a copy by its tag, its digest and both', () => {
  const { find } = names(copyOf('b.example/web:1', digest('a')));
  for (const text of ['b.example/web:1', `b.example/web@${digest('a')}`, `b.example/web:1@${digest('a')}`])
    expect(find(text)).toBe('b.example/web:1');
  for (const text of ['b.example/web:2', `b.example/web@${digest('c')}`, `b.example/api@${digest('a')}`])
    expect(find(text)).toBeUndefined();
});

it('finds copies of one digest by repository, whichever come and go', () => {
  const facts = ['web', 'api', 'job'].map((name) => copyOf(`b.example/${name}:1`, digest('a')));
  const { known, find } = names(...facts);
  const found = () => ['web', 'api', 'job'].map((name) => find(`b.example/${name}@${digest('a')}`));
  expect(found()).toEqual(['b.example/web:1', 'b.example/api:1', 'b.example/job:1']);
  known.remove(facts[1]!);
  expect(found()).toEqual(['b.example/web:1', undefined, 'b.example/job:1']);
  known.remove(facts[0]!);
  known.remove(facts[2]!);
  expect(found()).toEqual([undefined, undefined, undefined]);
  known.add(facts[1]!);
  expect(found()).toEqual([undefined, 'b.example/api:1', undefined]);
});

it('finds the digest before a tag that moved, and a copy that is named by its digest alone', () => {
  const { find } = names(
    copyOf('b.example/web:1', digest('a')),
    copyOf('b.example/web:2', digest('c')),
    copyOf(`b.example/old@${digest('d')}`),
  );
  expect(find(`b.example/web:1@${digest('c')}`)).toBe('b.example/web:2');
  expect(find(`b.example/old@${digest('d')}`)).toBe(`b.example/old@${digest('d')}`);
});

it('keeps the newer of two copies with one name when the older is removed', () => {
  const older = copyOf('b.example/web:1', digest('a'));
  const newer = copyOf('b.example/web:1', digest('a'));
  const { known } = names(older, newer);
  known.remove(older);
  expect(known.find(imageNameOf('b.example/web:1'))).toBe(newer);
  expect(known.find(imageNameOf(`b.example/web@${digest('a')}`))).toBe(newer);
});
