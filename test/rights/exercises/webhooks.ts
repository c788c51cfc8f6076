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

const registrations = '/apis/admissionregistration.k8s.io/v1';

/** What the program has registered with other features before, at the address that it has now, is removed. */
export async function leaveStrays(
  { http, create }: Place,
  names: Readonly<Partial<Record<'validating' | 'mutating', readonly string[]>>>,
): Promise<void> {
  const mutating = `${registrations}/mutatingwebhookconfigurations`;
  const template = await eventually(async () => {
    const { items } = (await http.get(mutating)).body;
    const { metadata, webhooks } = items.find((one) => one.metadata.name.startsWith(`${home}-probe-`))!;
    return { labels: metadata.labels, webhooks: webhooks as readonly object[] };
  });
  const paths: string[] = [];
  // The others are watched by all programs with webhooks.
  for (const type of ['validating', 'mutating'] as const)
    for (const name of names[type] ?? []) {
      const path = `${registrations}/${type}webhookconfigurations`;
      const [{ reinvocationPolicy: _, ...webhook }] = template.webhooks as readonly [Record<string, unknown>];
      const metadata = { name: `${home}-${name}`, labels: template.labels };
      await create(path, { metadata, webhooks: [{ ...webhook, name: `stray.${home}.svc` }] });
      paths.push(`${path}/${metadata.name}`);
    }
  for (const path of paths) await eventually(async () => expect((await http.get(path)).status, path).toBe(404));
}

export const eventsIn = async ({ http }: Place, namespace: string, reason: string) =>
  (await http.get(`/api/v1/namespaces/${namespace}/events`)).body.items.filter((event) => event.reason === reason);

/** The same event has been told a second time. */
export const toldTwice = (place: Place, namespace: string, reason: string) =>
  eventually(async () => {
    const counts = (await eventsIn(place, namespace, reason)).map((event) => Number(event['count']));
    expect(Math.max(...counts)).toBeGreaterThan(1);
  });
