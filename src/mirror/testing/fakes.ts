import { type MirroredImage, mirroredImageName } from '../../api/index.ts';
import { silentLogger } from '../../base/index.ts';
import {
  createImageMapper,
  type ImageReference,
  parseReference,
  parseTarget,
  renderReference,
} from '../../image/index.ts';
import { KubeError, type KubeErrorCode } from '../../kube/index.ts';
import { applyJsonPatch, applyMergePatch, type KubeObject } from '../../object/index.ts';
import type { MirrorMetrics } from '../metrics.ts';
import type { MirrorRequest } from '../mirrored-image-store.ts';
import type { MirrorSettings } from '../settings.ts';

export const target = parseTarget('backup.example/copies');
export const signal = new AbortController().signal;
export const log = silentLogger;

export const settings: MirrorSettings = {
  target,
  mapping: 'path',
  pin: 'tag',
  mode: 'auto',
  waitMs: 3_000,
  waitBytes: 20_000_000,
  rewrite: 'workloads',
  selectsNamespace: (labels) => labels?.['image-clone-controller'] === 'enabled',
  exemptNamespaces: ['kube-system', 'supercargo'],
  skipsGitOps: true,
  follow: false,
  recheckMs: 3_600_000,
};

export const metrics: MirrorMetrics = {
  reviewed() {},
  copied() {},
  copying() {},
  rewritten() {},
  unrewritten() {},
  refused() {},
};

export function mirrorRequestOf(image: string, secret?: string): MirrorRequest {
  const source = parseReference(image);
  const copy = createImageMapper({ target, mapping: 'path' }).map(source);
  return { source, copy, pullSecrets: secret ? [{ namespace: 'default', name: secret }] : [] };
}

/** The MirroredImage for an image. */
export function imageOf(
  image: string,
  status?: MirroredImage['status'],
  { mapping = 'path', ...spec }: Partial<MirroredImage['spec']> & { readonly mapping?: 'path' | 'basename' } = {},
): MirroredImage {
  const source: ImageReference = parseReference(image);
  const copy = renderReference(createImageMapper({ target, mapping }).map(source));
  return {
    apiVersion: 'supercargo.dev/v1alpha1',
    kind: 'MirroredImage',
    metadata: {
      name: mirroredImageName(renderReference(source), copy),
      uid: `uid of ${image}`,
      resourceVersion: '1',
      generation: 1,
      labels: { 'supercargo.dev/owner': 'supercargo' },
    },
    spec: { source: renderReference(source), copy, ...spec },
    ...(status ? { status } : {}),
  };
}

export const kubeError = (code: KubeErrorCode) => new KubeError(code, code, { method: 'GET', path: '/' });

/** Objects by name, as an API server stores them; calls `onWrite` for every write. */
export function fakeObjects<T extends KubeObject>(initial: readonly T[], onWrite: (object: T) => void = () => {}) {
  const objects = new Map<string, T>(initial.map((object) => [object.metadata.name!, object]));
  const writes: T[] = [];
  const put = (object: KubeObject) => {
    const version = Number(objects.get(object.metadata.name!)?.metadata.resourceVersion ?? 0) + 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } } as T;
    objects.set(object.metadata.name!, stored);
    writes.push(stored);
    onWrite(stored);
    return stored;
  };
  const find = (name: string) => {
    const found = objects.get(name);
    if (!found) throw kubeError('kube-not-found');
    return found;
  };
  const client = {
    get: async (_: unknown, { name }: { readonly name: string }) => find(name) as never,
    delete: async (_: unknown, { name }: { readonly name: string }) => {
      objects.delete(name);
    },
    create: async (_: unknown, object: KubeObject) => {
      if (objects.has(object.metadata.name!)) throw kubeError('kube-already-exists');
      return put(object) as never;
    },
    patch: async (
      _: unknown,
      { name }: { readonly name: string },
      { type, body }: { readonly type: string; readonly body: unknown },
    ) => {
      const before = find(name);
      if (type === 'json') {
        try {
          return put(applyJsonPatch(before, body) as unknown as KubeObject) as never;
        } catch {
          throw kubeError('kube-invalid');
        }
      }
      const { metadata } = body as { readonly metadata?: Readonly<Record<string, unknown>> };
      for (const key of ['uid', 'resourceVersion'] as const)
        if (metadata?.[key] !== undefined && metadata[key] !== before.metadata[key]) throw kubeError('kube-conflict');
      return put(applyMergePatch(before as never, body as never) as unknown as KubeObject) as never;
    },
  };
  return { objects, writes, client };
}
