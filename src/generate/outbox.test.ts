import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import {
  type AdmittedRequest,
  maxOutboxBytes,
  Outbox,
  outboxEntryOf,
  parseOutbox,
  renderOutbox,
  wasPersisted,
} from './outbox.ts';

const pod = (uid: string, resourceVersion: string, more: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'shop', uid, resourceVersion, ...more },
});
const request = (more: Partial<AdmittedRequest> = {}): AdmittedRequest => ({
  uid: 'request-1',
  operation: 'CREATE',
  kind: { group: '', version: 'v1', kind: 'Pod' },
  resource: { group: '', version: 'v1', resource: 'pods' },
  subresource: '',
  namespace: 'shop',
  name: 'a',
  object: pod('u', ''),
  namespaceLabels: {},
  info: { userInfo: { username: 'jane', groups: [] }, roles: [], clusterRoles: [] },
  dryRun: false,
  isTrusted: true,
  ...more,
});

describe('the outbox', () => {
  it('stores a repeated request once, and keeps requests of different users apart', () => {
    const box = new Outbox();
    box.add(outboxEntryOf(request(), ['p'], 1));
    box.add(outboxEntryOf(request({ uid: 'request-2' }), ['p'], 2));
    expect(box.size).toBe(1);
    const info = { userInfo: { username: 'joe', groups: [] }, roles: [], clusterRoles: [] };
    box.add(outboxEntryOf(request({ info }), ['p'], 3));
    expect(box.size).toBe(2);
    expect(parseOutbox(renderOutbox(box.list()))).toEqual(box.list());
  });

  it('keeps integers beyond 2^53 as they are', () => {
    const box = new Outbox();
    const object = { ...pod('u', ''), spec: { terminationGracePeriodSeconds: 9_007_199_254_740_993n } };
    box.add(outboxEntryOf(request({ object, oldObject: object }), ['p'], 1));
    expect(parseOutbox(renderOutbox(box.list()))).toEqual(box.list());
  });

  it('is never larger than its limit', () => {
    const box = new Outbox();
    const annotations = { text: 'x'.repeat(10_000) };
    let taken = 0;
    while (box.add(outboxEntryOf(request({ object: pod(`u${taken}`, '', { annotations }) }), ['p'], taken))) taken++;
    expect(taken).toBeGreaterThan(40);
    expect(Buffer.byteLength(renderOutbox(box.list()))).toBeLessThanOrEqual(maxOutboxBytes);
    box.remove(box.list()[0]!.id);
    expect(box.add(outboxEntryOf(request({ object: pod('again', '', { annotations }) }), ['p'], 0))).toBe(true);
  });

  it('is empty when it cannot be parsed', () => {
    for (const text of [undefined, '', '{', '{}', '[1, {"id": 2}]']) expect(parseOutbox(text)).toEqual([]);
  });

  it.each([
    ['a creation that is there', request({ object: pod('u', '') }), pod('u', '7'), 'yes'],
    ['a creation that is not there', request(), undefined, 'unclear'],
    ['a creation whose name another object has', request(), pod('v', '7'), 'unclear'],
    ['an update', request({ operation: 'UPDATE', oldObject: pod('u', '6') }), pod('u', '7'), 'yes'],
    [
      'an update that was refused later',
      request({ operation: 'UPDATE', oldObject: pod('u', '6') }),
      pod('u', '6'),
      'unclear',
    ],
    ['a deletion', request({ operation: 'DELETE', oldObject: pod('u', '6') }), undefined, 'yes'],
    [
      'a deletion that was refused later',
      request({ operation: 'DELETE', oldObject: pod('u', '6') }),
      pod('u', '6'),
      'unclear',
    ],
    [
      'a deletion that waits for finalizers',
      request({ operation: 'DELETE', oldObject: pod('u', '6') }),
      pod('u', '7', { deletionTimestamp: '2030-01-01T00:00:00Z' }),
      'yes',
    ],
    ['a connection', request({ operation: 'CONNECT', subresource: 'exec' }), undefined, 'yes'],
  ])('decides about %s by the stored object', (_, admitted, current, expected) => {
    expect(wasPersisted(admitted, current)).toBe(expected);
  });
});
