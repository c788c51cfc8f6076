import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture, namesOf } from './fixture.ts';

export function defineEvents(fixture: Fixture): void {
  const event = (namespace: string) => ({
    metadata: { name: 'a.1', namespace },
    involvedObject: { kind: 'Pod', namespace, name: 'a', apiVersion: 'v1' },
    reason: 'Tested',
    message: 'a message',
    type: 'Normal',
    source: { component: 'tester' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-01T00:00:00Z',
    count: 1,
  });

  it('stores an event and shows it in both of its groups', async () => {
    const namespace = await fixture.namespace();
    await expectCode(fixture.api.post(`/api/v1/namespaces/${namespace}/events`, event(namespace)), 201);
    const body = await expectCode(fixture.api.get(`/apis/events.k8s.io/v1/namespaces/${namespace}/events/a.1`), 200);
    expect(body).toMatchObject({
      kind: 'Event',
      apiVersion: 'events.k8s.io/v1',
      regarding: { kind: 'Pod', name: 'a' },
      reason: 'Tested',
      note: 'a message',
      type: 'Normal',
      deprecatedSource: { component: 'tester' },
      deprecatedCount: 1,
    });
  });

  it('shows an event of the new group in the old one', async () => {
    const namespace = await fixture.namespace();
    const object = {
      metadata: { name: 'a.1', namespace },
      eventTime: '2024-01-01T00:00:00.000001Z',
      reportingController: 'example.test/tester',
      reportingInstance: 'tester-1',
      action: 'Testing',
      reason: 'Tested',
      regarding: { kind: 'Pod', namespace, name: 'a', apiVersion: 'v1' },
      note: 'a message',
      type: 'Warning',
    };
    await expectCode(fixture.api.post(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`, object), 201);
    const body = await expectCode(fixture.api.get(`/api/v1/namespaces/${namespace}/events/a.1`), 200);
    expect(body).toMatchObject({
      apiVersion: 'v1',
      involvedObject: { kind: 'Pod', name: 'a' },
      message: 'a message',
      eventTime: '2024-01-01T00:00:00.000001Z',
      reportingComponent: 'example.test/tester',
      reportingInstance: 'tester-1',
    });
  });

  it('selects events by what they are about', async () => {
    const namespace = await fixture.namespace();
    const path = `/api/v1/namespaces/${namespace}/events`;
    await expectCode(fixture.api.post(path, event(namespace)), 201);
    for (const [selector, names] of [
      ['involvedObject.name=a,involvedObject.kind=Pod', ['a.1']],
      ['involvedObject.name=b', []],
      ['reason=Tested,type=Normal', ['a.1']],
      ['type!=Normal', []],
    ] as const) {
      const body = await expectCode(fixture.api.get(`${path}?fieldSelector=${encodeURIComponent(selector)}`), 200);
      expect(namesOf(body)).toEqual(names);
    }
  });

  it('refuses an event about an object of another namespace', async () => {
    const namespace = await fixture.namespace();
    const object = { ...event(namespace), involvedObject: { kind: 'Pod', namespace: 'other', name: 'a' } };
    const body = await expectFailure(
      fixture.api.post(`/api/v1/namespaces/${namespace}/events`, object),
      422,
      'Invalid',
    );
    expect(body.message).toContain('involvedObject.namespace');
  });
}
