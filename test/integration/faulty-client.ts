import { type KubeClient, KubeError, type ResourceType } from '../../src/kube/index.ts';

export type WriteFault = 'none' | 'conflict' | 'throttled' | 'error' | 'lost-answer';

const line = { method: 'PUT', path: '/injected' };
const errors: Readonly<Record<Exclude<WriteFault, 'none'>, () => KubeError>> = {
  conflict: () => new KubeError('kube-conflict', 'injected: changed meanwhile (409)', { ...line, status: 409 }),
  throttled: () =>
    new KubeError('kube-throttled', 'injected: too many (429)', { ...line, status: 429, retry: { afterMs: 30 } }),
  error: () => new KubeError('kube-server-error', 'injected: etcd (500)', { ...line, status: 500, retry: 'backoff' }),
  'lost-answer': () => new KubeError('kube-timeout', 'injected: no answer', { ...line, retry: 'backoff' }),
};

/** The same client, but each write suffers what `next` says; `lost-answer` is done and then denied. */
export function withFaults(client: KubeClient, next: () => WriteFault): KubeClient {
  const suffer = async <T>(work: () => Promise<T>): Promise<T> => {
    const fault = next();
    if (fault === 'none') return work();
    if (fault === 'lost-answer') await work();
    throw errors[fault]();
  };
  return {
    ...client,
    create: (type, object, options) => suffer(() => client.create(type, object, options)),
    replace: (type, object, options) => suffer(() => client.replace(type, object, options)),
    delete: (type, key, options) => suffer(() => client.delete(type, key, options)),
  };
}

/** The same client, whose lists and watches of some types are refused as by missing rights. */
export function withoutRights(client: KubeClient, isRefused: (type: ResourceType) => boolean): KubeClient {
  const check = (type: ResourceType) => {
    if (isRefused(type))
      throw new KubeError('kube-forbidden', `injected: cannot list ${type.resource} (403)`, { ...line, status: 403 });
  };
  return {
    ...client,
    async list(type, options) {
      check(type);
      return client.list(type, options);
    },
    async *pages(type, options) {
      check(type);
      yield* client.pages(type, options);
    },
    async *watch(type, options) {
      check(type);
      yield* client.watch(type, options);
    },
  };
}
