import { expect, test } from 'vitest';
import { gvkOf, parseApiVersion, renderApiVersion, renderGroupResource, renderGvk, renderGvr } from './gvk.ts';

test('an apiVersion is a group and a version, or only a version in the core group', () => {
  expect(parseApiVersion('apps/v1')).toEqual({ group: 'apps', version: 'v1' });
  expect(parseApiVersion('v1')).toEqual({ group: '', version: 'v1' });
  for (const text of ['apps/v1', 'v1']) expect(renderApiVersion(parseApiVersion(text))).toBe(text);
});

test('kinds and resources have one rendered form', () => {
  expect(renderGvk(gvkOf({ apiVersion: 'apps/v1', kind: 'Deployment' }))).toBe('apps/v1/Deployment');
  expect(renderGvr({ group: '', version: 'v1', resource: 'pods' })).toBe('v1/pods');
  expect(renderGroupResource({ group: 'apps', resource: 'deployments' })).toBe('deployments.apps');
  expect(renderGroupResource({ group: '', resource: 'pods' })).toBe('pods');
});
