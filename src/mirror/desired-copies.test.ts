import { describe, expect, it } from 'vitest';
import { parseReference, renderReference } from '../image/index.ts';
import { copyTag, createCopyNames, desiredCopies, renderCopy } from './desired-copies.ts';
import { target } from './testing/fakes.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const names = createCopyNames({ target, mapping: 'path' });
const field = (image: string) => ({ name: 'main', image, pointer: '/spec/containers/0/image' });
const want = (image: string) => desiredCopies([field(image)], names)[0]!;

describe('the desired copy of an image', () => {
  it.each([
    ['busybox', 'tag', 'backup.example/copies/docker.io/library/busybox:latest'],
    ['busybox:1', 'tag', 'backup.example/copies/docker.io/library/busybox:1'],
    ['busybox:1', 'digest', `backup.example/copies/docker.io/library/busybox:1@${digest}`],
    [`busybox:1@${digest}`, 'tag', `backup.example/copies/docker.io/library/busybox:1@${digest}`],
    [`busybox@${digest}`, 'tag', `backup.example/copies/docker.io/library/busybox@${digest}`],
    [`busybox@${digest}`, 'digest', `backup.example/copies/docker.io/library/busybox@${digest}`],
  ] as const)('%s pinned by %s is %s', (image, pin, expected) => {
    const wanted = want(image);
    expect(wanted.kind === 'copy' && renderCopy(wanted, digest, pin)).toBe(expected);
  });

  it('is none where the image is a copy, by the parts of its name', () => {
    expect(want('backup.example/copies/x:1').kind).toBe('is-copy');
    expect(want('backup.example/copies-of/x:1').kind).toBe('copy');
    expect(want('backup.example/other:1').kind).toBe('copy');
  });

  it('is none where there is no image, or too many', () => {
    expect(want('not an image')).toMatchObject({ kind: 'refused', reason: expect.stringContaining('not an image') });
    const all = desiredCopies(
      Array.from({ length: 120 }, (_, i) => field(`busybox:${i}`)),
      names,
    );
    expect(all.filter(({ kind }) => kind === 'copy')).toHaveLength(100);
    expect(all[119]).toMatchObject({ kind: 'refused', reason: 'only 100 images of a workload are copied' });
  });

  it('has a tag that moves no other', () => {
    const tag = (image: string) => copyTag(names.map(parseReference(image)));
    expect(tag('busybox:1')).toBe('1');
    expect(tag(`busybox:1@${digest}`)).toBe(`copy-sha256-${'a'.repeat(64)}`);
    expect(tag(`busybox@${digest}`)).toBe(`copy-sha256-${'a'.repeat(64)}`);
  });

  it('does not depend on earlier requests', () => {
    const byBase = createCopyNames({ target, mapping: 'basename' });
    for (const image of ['busybox:1', 'quay.io/other/busybox:1', 'busybox:1'])
      expect(renderReference(byBase.map(parseReference(image)))).toBe('backup.example/copies/busybox:1');
  });
});
