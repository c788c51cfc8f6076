import { describe, expect, it } from 'vitest';
import { PolicyError } from '../errors.ts';
import { parseImage } from './image-info.ts';
import { imagesOf } from './images.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('parsing an image', () => {
  it.each([
    [
      'nginx',
      { registry: 'docker.io', path: 'nginx', name: 'nginx', tag: 'latest', reference: 'docker.io/nginx:latest' },
    ],
    ['nginx:1.29', { registry: 'docker.io', tag: '1.29', reference: 'docker.io/nginx:1.29' }],
    ['library/nginx', { path: 'library/nginx', name: 'nginx', reference: 'docker.io/library/nginx:latest' }],
    ['ghcr.io/a/b/c:v1', { registry: 'ghcr.io', path: 'a/b/c', name: 'c', tag: 'v1' }],
    ['localhost:5000/x', { registry: 'localhost:5000', path: 'x', reference: 'localhost:5000/x:latest' }],
    ['localhost/x', { registry: 'localhost', path: 'x' }],
    [`nginx@${digest}`, { digest, reference: `docker.io/nginx@${digest}`, referenceWithTag: 'docker.io/nginx:' }],
    [`nginx:1@${digest}`, { tag: '1', digest, reference: `docker.io/nginx@${digest}` }],
  ])('%s', (image, expected) => expect(parseImage(image)).toMatchObject(expected));

  it.each(['', 'UPPER/x y', 'a:b:c/d:', 'nginx@sha256:short'])('refuses %j', (image) => {
    expect(() => parseImage(image)).toThrow(PolicyError);
  });
});

describe('the images of an object', () => {
  const container = (name: string, image: string) => ({ name, image });
  const object = (kind: string, spec: unknown) => ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, spec });

  it('are found in all kinds of containers, with their JSON pointers', () => {
    const pod = object('Pod', { containers: [container('a', 'nginx')], initContainers: [container('i', 'busybox:1')] });
    expect(imagesOf(pod)).toMatchObject({
      containers: { a: { name: 'nginx', jsonPointer: '/spec/containers/0/image' } },
      initContainers: { i: { tag: '1', jsonPointer: '/spec/initContainers/0/image' } },
    });
  });

  it('are found in the templates of controllers', () => {
    const template = { spec: { containers: [container('a', 'nginx')] } };
    expect(imagesOf(object('Deployment', { template }))['containers']?.['a']?.jsonPointer).toBe(
      '/spec/template/spec/containers/0/image',
    );
    expect(imagesOf(object('CronJob', { jobTemplate: { spec: { template } } }))['containers']?.['a']?.jsonPointer).toBe(
      '/spec/jobTemplate/spec/template/spec/containers/0/image',
    );
  });

  it('are found by the extractors of a rule', () => {
    const task = object('Task', { steps: [{ name: 's', image: 'docker://nginx:2' }] });
    const extractors = { Task: [{ path: '/spec/steps/*/image', jmesPath: "trim_prefix(@, 'docker://')" }] };
    expect(imagesOf(task, extractors)).toMatchObject({ custom: { '/spec/steps/0/image': { tag: '2' } } });
  });

  it('are empty for kinds without containers', () => expect(imagesOf(object('ConfigMap', {}))).toEqual({}));
});
