import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { home, type Place } from '../exercise.ts';

/** Another replica writes the certificate first. */
export function contestCertificate({ before, http }: Place): void {
  before({ verb: 'update', group: '', resource: 'secrets' }, async ({ name }) => {
    const path = `/api/v1/namespaces/${home}/secrets/${name}`;
    expect((await http.patch(path, { metadata: { annotations: { touched: 'yes' } } }, 'merge')).status).toBe(200);
  });
}

/** Until it is called, the watch of namespaces tells nothing: a new namespace is read when a request comes from it. */
export function delayNamespaces({ before }: Place): () => void {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  before({ verb: 'watch', group: '', resource: 'namespaces' }, () => released);
  return release;
}

export const eventsIn = async ({ http }: Place, namespace: string, reason: string) =>
  (await http.get(`/api/v1/namespaces/${namespace}/events`)).body.items.filter((event) => event.reason === reason);

/** The same event has been told a second time. */
export const toldTwice = (place: Place, namespace: string, reason: string) =>
  eventually(async () => {
    const counts = (await eventsIn(place, namespace, reason)).map((event) => Number(event['count']));
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });
