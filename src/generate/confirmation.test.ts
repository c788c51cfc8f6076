import { describe, expect, it } from 'vitest';
import { type KubeClient, KubeError } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { confirmedBefore, objectAfter } from './confirmation.ts';
import { type AdmittedRequest, outboxEntryOf } from './outbox.ts';

const pod = (uid: string, note: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid, resourceVersion: '7', annotations: { note } },
});
const claim = (more: Partial<AdmittedRequest>): AdmittedRequest => ({
  uid: 'review',
  operation: 'DELETE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  namespace: 'shop',
  name: 'web',
  namespaceLabels: {},
  info: { userInfo: { username: 'invented', groups: ['system:masters'] }, roles: [], clusterRoles: ['admin'] },
  dryRun: false,
  isTrusted: false,
  ...more,
});
const server = (stored: KubeObject | undefined): Pick<KubeClient, 'get'> => ({
  async get<T>() {
    if (!stored) throw new KubeError('kube-not-found', 'no', { method: 'GET', path: '/' });
    return stored as unknown as T;
  },
});
const confirm = (stored: KubeObject | undefined, more: Partial<AdmittedRequest>) =>
  confirmedBefore(server(stored), claim(more), new AbortController().signal);

describe('an unauthenticated review', () => {
  it('keeps nothing of its sender: the old object is the stored one, and the user is empty', async () => {
    const confirmed = await confirm(pod('u', 'stored'), { oldObject: pod('u', 'claimed') });
    expect(confirmed?.oldObject?.metadata.annotations).toEqual({ note: 'stored' });
    expect(confirmed?.info).toEqual({ userInfo: { username: '', groups: [] }, roles: [], clusterRoles: [] });
    const created = await confirm(undefined, { operation: 'CREATE', object: pod('new', 'claimed') });
    expect(created?.info.userInfo.username).toBe('');
    const { request } = outboxEntryOf(created!, ['p'], 0);
    expect(request.object).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop', uid: 'new' },
    });
    expect(objectAfter(request, pod('new', 'stored'))?.metadata.annotations).toEqual({ note: 'stored' });
  });

  it.each<[string, KubeObject | undefined, Partial<AdmittedRequest>]>([
    ['a deletion of what is not there', undefined, { oldObject: pod('u', '') }],
    ['a deletion of another object of that name', pod('v', ''), { oldObject: pod('u', '') }],
    ['a deletion without an object', pod('u', ''), {}],
    [
      'an update of another object',
      pod('v', ''),
      { operation: 'UPDATE', oldObject: pod('u', ''), object: pod('u', '') },
    ],
    ['a creation of what is there', pod('u', ''), { operation: 'CREATE', object: pod('u', '') }],
    ['a connection', pod('u', ''), { operation: 'CONNECT', subresource: 'exec', object: pod('u', '') }],
    ['a subresource', pod('u', ''), { operation: 'UPDATE', subresource: 'status', oldObject: pod('u', '') }],
  ])('is not confirmed for %s', async (_, stored, more) => {
    expect(await confirm(stored, more)).toBeUndefined();
  });
});
