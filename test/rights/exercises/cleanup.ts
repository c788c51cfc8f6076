import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
import { rightsOfRule } from '../access.ts';
import type { Exercise } from '../exercise.ts';
import { celLookUps, prepareLookUps } from './policies.ts';

const apiVersion = 'policies.kyverno.io/v1';
const old = 'old';

const policy = (kind: string, state: string, lookUps = false) => ({
  apiVersion,
  kind,
  metadata: { name: `clean-${state}` },
  spec: {
    schedule: '@every 1s',
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }],
    },
    ...(lookUps ? { variables: celLookUps } : {}),
    conditions: [
      ...(lookUps ? [{ name: 'known', expression: 'variables.known && variables.maps' }] : []),
      { name: 'old', expression: `object.metadata.?labels.state.orValue('') == '${state}'` },
    ],
  },
});

/** Deletes an object of one name twice, by policies of both kinds. */
export const cleanup: Exercise = {
  config: () => ({ cleanup: { namespacedResources: ['secrets'] } }),
  // Whoever wants objects deleted grants that, as docs/cleanup.md says.
  grants: rightsOfRule({ apiGroups: [''], resources: ['secrets'], verbs: ['list', 'delete', 'get'] }),
  prepare: prepareLookUps,
  async run({ create, http }) {
    await create('/api/v1/namespaces', { metadata: { name: 'clean' } });
    await create(`/apis/${apiVersion}/deletingpolicies`, policy('DeletingPolicy', old, true));
    await create(
      `/apis/${apiVersion}/namespaces/clean/namespaceddeletingpolicies`,
      policy('NamespacedDeletingPolicy', 'older'),
    );
    const path = '/api/v1/namespaces/clean/secrets';
    for (const state of [old, old, 'older']) {
      await create(path, { metadata: { name: 'gone', labels: { state } } });
      await eventually(async () => expect((await http.get(`${path}/gone`)).status).toBe(404));
    }
  },
};
