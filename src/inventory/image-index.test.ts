import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseReference } from '../image/index.ts';
import type { KubeObject } from '../object/index.ts';
import { ImageIndex, type ImageUser } from './image-index.ts';
import { renderSourceImages, sourceImagesAnnotation } from './source-images.ts';
import { imagesOfWorkload } from './workload-images.ts';

const user = (name: string): ImageUser => ({ kind: 'Deployment', namespace: 'default', name });
const images = (...names: readonly string[]) => names.map((image, i) => ({ container: `c${i}`, image, source: image }));
const names = (uses: readonly { readonly user: ImageUser; readonly container: string }[]) =>
  uses.map((use) => `${use.user.name}/${use.container}`).sort();

describe('the index of images', () => {
  it('finds the users of a repository, an exact image, or a base name', () => {
    const index = new ImageIndex();
    index.put(user('a'), images('nginx:1.25', 'ghcr.io/team/nginx:2'));
    index.put(user('b'), images('docker.io/library/nginx:1.26'));
    index.put(user('c'), images('nginx'));
    const nginx = parseReference('nginx:1.25');
    expect(names(index.usesOfRepository(nginx))).toEqual(['a/c0', 'b/c0', 'c/c0']);
    expect(names(index.usesOfImage(nginx))).toEqual(['a/c0']);
    expect(names(index.usesOfImage(parseReference('docker.io/nginx:latest')))).toEqual(['c/c0']);
    expect(names(index.usesOfBaseName(nginx))).toEqual(['a/c0', 'a/c1', 'b/c0', 'c/c0']);
    expect(index.totals).toEqual({ totalImages: 4, totalResources: 3 });
  });

  it('forgets images that no longer run', () => {
    const index = new ImageIndex();
    index.put(user('a'), images('nginx:1'));
    index.put(user('a'), images('redis:7'));
    expect(index.usesOfRepository(parseReference('nginx'))).toEqual([]);
    index.remove(user('a'));
    index.remove(user('never'));
    expect([...index.uses()]).toEqual([]);
    expect(index.totals).toEqual({ totalImages: 0, totalResources: 0 });
  });

  it('skips text that is not an image', () => {
    const index = new ImageIndex();
    index.put(user('a'), images('NOT AN IMAGE', 'redis:7'));
    expect(names([...index.uses()])).toEqual(['a/c1']);
  });

  it('equals a newly built index after any changes', () => {
    const image = fc.constantFrom('nginx', 'nginx:1', 'redis:7', 'x.io/nginx:1', `nginx@sha256:${'a'.repeat(64)}`, '?');
    const change = fc.record({ name: fc.constantFrom('a', 'b', 'c'), images: fc.array(image, { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const index = new ImageIndex();
        const last = new Map<string, readonly string[]>();
        for (const { name, images: list } of changes) {
          if (list.length === 0) index.remove(user(name));
          else index.put(user(name), images(...list));
          last.set(name, list);
        }
        const fresh = new ImageIndex();
        for (const [name, list] of last) fresh.put(user(name), images(...list));
        expect(index.totals).toEqual(fresh.totals);
        for (const text of ['nginx', 'nginx:1', 'x.io/nginx:1', 'redis']) {
          const reference = parseReference(text);
          expect(names(index.usesOfRepository(reference))).toEqual(names(fresh.usesOfRepository(reference)));
          expect(names(index.usesOfBaseName(reference))).toEqual(names(fresh.usesOfBaseName(reference)));
        }
      }),
    );
  });
});

describe('the images of a workload', () => {
  const podSpec = {
    initContainers: [{ name: 'init', image: 'busybox' }],
    containers: [{ name: 'web', image: 'backup.io/nginx:1' }, { name: 'broken' }, null],
    ephemeralContainers: [{ name: 'debug', image: 'alpine:3' }],
  };
  const object = (kind: string, spec: unknown, annotation?: string): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: {
      name: 'x',
      ...(annotation === undefined ? {} : { annotations: { [sourceImagesAnnotation]: annotation } }),
    },
    spec,
  });

  it.each([
    ['Pod', podSpec],
    ['Deployment', { template: { spec: podSpec } }],
    ['CronJob', { jobTemplate: { spec: { template: { spec: podSpec } } } }],
  ])('of the kind %s are those of all its containers', (kind, spec) => {
    expect(imagesOfWorkload(object(kind, spec)).map(({ image }) => image)).toEqual([
      'busybox',
      'backup.io/nginx:1',
      'alpine:3',
    ]);
  });

  it('are reported by their source while the copy is in place', () => {
    const note = renderSourceImages(
      new Map([
        ['web', { from: 'nginx:1', to: 'backup.io/nginx:1' }],
        ['init', { from: 'other', to: 'backup.io/other' }],
      ]),
    );
    const sources = imagesOfWorkload(object('Pod', podSpec, note)).map(({ source }) => source);
    expect(sources).toEqual(['busybox', 'nginx:1', 'alpine:3']);
  });

  it.each(['{', '[]', '{"web":1}', 'null'])('are reported as written where the annotation is %s', (note) => {
    expect(imagesOfWorkload(object('Pod', podSpec, note))[1]?.source).toBe('backup.io/nginx:1');
  });

  it('are empty where the specification is malformed', () => {
    expect(imagesOfWorkload(object('Deployment', { template: null }))).toEqual([]);
    expect(imagesOfWorkload(object('Pod', { containers: 'x' }))).toEqual([]);
  });
});
