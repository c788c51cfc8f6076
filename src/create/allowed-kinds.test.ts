import { expect, it } from 'vitest';
import { findRefusedKinds } from './allowed-kinds.ts';

const binding = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' };
const application = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };

it('rejects cluster-scoped built-in kinds by default, inside lists too', () => {
  expect([binding, application, deployment].map((one) => findRefusedKinds(one, undefined))).toEqual([
    ['rbac.authorization.k8s.io/ClusterRoleBinding'],
    [],
    [],
  ]);
  const list = { apiVersion: 'v1', kind: 'List', items: [{ apiVersion: 'v1', kind: 'List', items: [binding] }] };
  expect(findRefusedKinds(list, undefined)).toEqual(['rbac.authorization.k8s.io/ClusterRoleBinding']);
  expect(findRefusedKinds({ apiVersion: 'v1', kind: 'Namespace' }, undefined)).toEqual(['Namespace']);
});

it('allows exactly what the template lists', () => {
  expect(findRefusedKinds(deployment, ['apps/Deployment'])).toEqual([]);
  expect(findRefusedKinds(deployment, ['apps/*'])).toEqual([]);
  expect(findRefusedKinds(deployment, ['Deployment'])).toEqual(['apps/Deployment']);
  expect(findRefusedKinds(binding, ['*'])).toEqual([]);
});
