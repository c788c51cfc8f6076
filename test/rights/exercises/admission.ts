import { expect } from 'vitest';
import { eventually } from '../../support/wait.ts';
import type { Exercise } from '../exercise.ts';
import { clusterPolicy, createCelPolicies, kyverno, lookUps, prepareLookUps } from './policies.ts';
import { contestCertificate, delayNamespaces, leaveStrays, toldTwice } from './webhooks.ts';

/** Reviews an object of a new namespace by the user's roles and look-ups, and writes the status of every kind. */
export function createAdmission(): Exercise {
  let release = () => {};
  return {
    async prepare(place) {
      contestCertificate(place);
      release = delayNamespaces(place);
      await prepareLookUps(place);
    },
    async run(place) {
      const { create, http, features } = place;
      await leaveStrays(place, {
        mutating: [...(features.includes('mirror') ? [] : ['rewrite']), 'probe-mirror'],
        validating: features.includes('generate') ? [] : ['policies-generate'],
      });
      await create('/api/v1/namespaces', { metadata: { name: 'reviewed' } });
      await createCelPolicies(place, 'reviewed');
      const validate = { message: 'a team is missing', pattern: { metadata: { labels: { team: '?*' } } } };
      const namespaceSelector = { matchLabels: { reviewed: 'yes' } };
      const maps = { any: [{ resources: { kinds: ['ConfigMap'], namespaceSelector } }] };
      const exclude = { any: [{ clusterRoles: ['nobody'] }] };
      const reviews = clusterPolicy('reviews', { name: 'team', match: maps, exclude, ...lookUps, validate });
      await create(`${kyverno}/clusterpolicies`, { ...reviews, spec: { ...reviews.spec, background: false } });
      const pods = { any: [{ resources: { kinds: ['Pod'] } }] };
      await create(`${kyverno}/namespaces/reviewed/policies`, {
        ...clusterPolicy('reviews', { name: 'team', match: pods, validate }),
        kind: 'Policy',
      });
      await eventually(async () => {
        const { body } = await http.get(`${kyverno}/clusterpolicies/reviews`);
        expect(body['status']).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
      });
      await create('/api/v1/namespaces', { metadata: { name: 'late-reviewed', labels: { reviewed: 'yes' } } });
      const path = '/api/v1/namespaces/late-reviewed/configmaps';
      await create(path, { metadata: { name: 'nobodys' } });
      release();
      await eventually(async () => {
        await http.patch(`${path}/nobodys`, { data: { at: String(Date.now()) } }, 'merge');
        await toldTwice(place, 'late-reviewed', 'PolicyViolation');
      });
    },
  };
}
