import { describe, expect, it } from 'vitest';
import type { MirroredImage } from '../../api/index.ts';
import type { InformerChange } from '../../controller/index.ts';
import type { Informer, InformerFactory, InformerHandler } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { isOrdered, workloadSources } from './mirror-sources.ts';

const image = (status?: MirroredImage['status'], generation = 1): MirroredImage => ({
  apiVersion: 'supercargo.dev/v1alpha1',
  kind: 'MirroredImage',
  metadata: { name: 'x', generation },
  spec: { source: 'docker.io/library/busybox:1', copy: 'backup.example/busybox:1' },
  ...(status ? { status } : {}),
});

describe('a request to copy', () => {
  const update = (previous: MirroredImage, stored: MirroredImage) =>
    isOrdered({ key: 'x', stored, previous, object: stored } as InformerChange<MirroredImage, MirroredImage>);

  it('is a new object, a new generation, or a reopened one', () => {
    expect(isOrdered({ key: 'x', stored: image(), object: image(), isInitial: false, origin: 'added' })).toEqual(['x']);
    expect(update(image({ phase: 'Failed' }), image({ phase: 'Failed' }, 2))).toEqual(['x']);
    expect(update(image({ phase: 'Copied' }), image({ phase: 'Pending' }))).toEqual(['x']);
  });

  it('is not a status update during the copy', () => {
    expect(update(image(), image({ phase: 'Copying' }))).toEqual([]);
    expect(update(image({ phase: 'Copying' }), image({ phase: 'Copying', bytesCopied: 1 }))).toEqual([]);
    expect(update(image({ phase: 'Copying' }), image({ phase: 'Failed' }))).toEqual([]);
  });
});

/** Fake informers whose handlers a test calls; each keeps its objects. */
function fakeInformers() {
  const informers = new Map<string, ReturnType<typeof fakeInformer>>();
  const of = (resource: string) => {
    const known = informers.get(resource) ?? fakeInformer();
    informers.set(resource, known);
    return known;
  };
  return {
    of,
    factory: { for: ({ resource }: { readonly resource: string }) => of(resource) } as unknown as InformerFactory,
  };
}

function fakeInformer() {
  const stored = new Map<string, unknown>();
  const handlers: InformerHandler<KubeObject, unknown>[] = [];
  const indexes: Record<string, (stored: unknown) => readonly string[]> = {};
  return {
    addHandler: (handler: InformerHandler<KubeObject, unknown>) => {
      handlers.push(handler);
      return () => {};
    },
    addIndexes: (added: typeof indexes) => Object.assign(indexes, added),
    byIndex: (name: string, key: string) => [...stored.values()].filter((one) => indexes[name]?.(one).includes(key)),
    list: () => [...stored.values()],
    put(key: string, next: unknown) {
      const previous = stored.get(key);
      stored.set(key, next);
      for (const { onAdd, onUpdate } of handlers)
        if (previous === undefined)
          onAdd?.({ key, stored: next, object: undefined, isInitial: false, origin: 'added' });
        else onUpdate?.({ key, stored: next, previous, object: {} as KubeObject } as never);
    },
  };
}

describe('a reconcile of a workload', () => {
  const workload = (...names: readonly string[]) => ({
    metadata: { name: 'web', namespace: 'shop' },
    images: names.map((name) => ({ container: 'c', image: name, source: name })),
  });
  const start = (rewrite: 'workloads' | 'pods' = 'workloads') => {
    const { of, factory } = fakeInformers();
    const images = of('mirroredimages');
    const fed: string[] = [];
    const { signal } = new AbortController();
    const sink = { add: (key: string) => void fed.push(key), addAfter: () => {} };
    const sources = workloadSources(factory, images as unknown as Informer<MirroredImage>, rewrite);
    for (const source of sources) void source(sink, signal);
    const take = () => fed.splice(0);
    return { of, images, take };
  };

  it('is due when its images change, and not when its status does', () => {
    const { of, take } = start();
    of('deployments').put('shop/web', workload('busybox:1'));
    expect(take()).toEqual(['Deployment/shop/web']);
    of('deployments').put('shop/web', workload('busybox:1'));
    expect(take()).toEqual([]);
    of('deployments').put('shop/web', workload('busybox:2'));
    expect(take()).toEqual(['Deployment/shop/web']);
    of('jobs').put('shop/owned', workload());
    expect(take()).toEqual([]);
  });

  it('is due when the labels of its namespace change', () => {
    const { of, take } = start();
    of('namespaces').put('shop', {});
    of('namespaces').put('other', {});
    of('deployments').put('shop/web', workload('busybox:1'));
    take();
    of('namespaces').put('shop', { team: 'a' });
    expect(take()).toEqual(['Deployment/shop/web']);
    of('namespaces').put('shop', { team: 'a' });
    of('namespaces').put('other', { team: 'a' });
    expect(take()).toEqual([]);
  });

  it('is due when the copy of one of its images was made, in any notation of the image', () => {
    const { of, images, take } = start();
    of('deployments').put('shop/web', workload('busybox:1', 'No Image'));
    of('cronjobs').put('shop/web', workload('docker.io/busybox:1'));
    of('daemonsets').put('shop/web', workload('busybox:2'));
    take();
    images.put('x', image({ phase: 'Copying', attempts: 1 }));
    expect(take()).toEqual([]);
    images.put('x', image({ phase: 'Copied', attempts: 1 }));
    expect(take()).toEqual(['Deployment/shop/web', 'CronJob/shop/web']);
    images.put('x', image({ phase: 'Copied', attempts: 1, checkedAt: 'later' }));
    expect(take()).toEqual([]);
    images.put('x', image({ phase: 'Copied', attempts: 2 }));
    expect(take()).toHaveLength(2);
  });

  it('watches pods only if pods are rewritten', () => {
    const pods = (rewrite: 'workloads' | 'pods') => {
      const { of, take } = start(rewrite);
      of('pods').put('shop/web', workload('busybox:1'));
      return take();
    };
    expect(pods('workloads')).toEqual([]);
    expect(pods('pods')).toEqual(['Pod/shop/web']);
  });
});
