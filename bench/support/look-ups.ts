import { request } from 'node:https';
import type { AdmissionProcess } from './admission-program.ts';
import type { Load } from './load.ts';
import { podReview, type podSecurityPolicies } from './pod-security.ts';

const namespace = 'default';
const configMap = 'pod-security';
type Policy = (typeof podSecurityPolicies)[number];

/** The same policy, whose rule asks for labels of the namespace, roles of the user and a ConfigMap. */
export function withLookUps({ spec, ...policy }: Policy) {
  const rules = spec.rules.map((rule) => ({
    ...rule,
    match: {
      any: [
        {
          resources: {
            kinds: ['Pod'],
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          },
        },
      ],
    },
    exclude: { any: [{ clusterRoles: ['cluster-admin'] }] },
    context: [{ name: 'settings', configMap: { name: configMap, namespace } }],
    preconditions: { all: [{ key: '{{ settings.data.enforced }}', operator: 'Equals', value: 'yes' }] },
  }));
  // Rules about users are not for the background.
  return { ...policy, spec: { ...spec, background: false, rules } };
}

/** What they look up. */
export async function createLookedUp(load: Load): Promise<void> {
  const object = { metadata: { name: configMap }, data: { enforced: 'yes' } };
  await load.create(`/api/v1/namespaces/${namespace}/configmaps`, [JSON.stringify(object)], 1);
}

/** Throws if the rules do not deny a pod that breaks one of them: their look-ups would not have been made. */
export async function checkDenied({ port, ca }: AdmissionProcess): Promise<void> {
  const { object, ...review } = podReview.request;
  const body = JSON.stringify({
    ...podReview,
    request: { ...review, object: { ...object, spec: { ...object.spec, hostPID: true } } },
  });
  const headers = { 'content-type': 'application/json' };
  const text = await new Promise<string>((resolve, reject) => {
    const options = { host: '127.0.0.1', port, ca, path: '/validate/fail?timeout=10s', method: 'POST', headers };
    const sent = request(options, async (answer) => resolve(Buffer.concat(await answer.toArray()).toString()));
    sent.once('error', reject).end(body);
  });
  if (!text.includes('"allowed":false')) throw new Error(`a pod in the namespace of the host is admitted: ${text}`);
}
