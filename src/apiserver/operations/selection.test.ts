import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { StatusError } from '../status.ts';
import { selectionOf } from './selection.ts';

// Selection looks at these parts of a definition alone.
const definition = (resource: string, more: Partial<ResourceDefinition> = {}) =>
  ({ group: '', version: 'v1', resource, namespaced: true, custom: false, ...more }) as ResourceDefinition;
const object = (fields: Readonly<Record<string, unknown>> = {}, labels = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'X',
  metadata: { name: 'a', namespace: 'n', labels },
  ...fields,
});
const selects = (of: ResourceDefinition, labels: string, fields: string, given: KubeObject) =>
  selectionOf(of, labels, fields).matches?.({ metadata: given.metadata, object: given });

it('selects everything without a matcher', () => {
  expect(selectionOf(definition('pods'), '', '')).toEqual({ matches: undefined, name: undefined });
});

it.each([
  ['a=1', true],
  ['a!=1', false],
  ['a in (1,2),!b', true],
  ['b', false],
])('selects by labels: %s', (selector, expected) => {
  expect(selects(definition('pods'), selector, '', object({}, { a: '1' }))).toBe(expected);
});

const pod = object({ spec: { nodeName: 'node-1' }, status: { phase: 'Running' } });
it.each([
  [definition('pods'), 'status.phase=Running,spec.nodeName!=node-2', pod, true],
  [definition('pods'), 'spec.nodeName=', pod, false],
  [definition('pods'), 'spec.hostNetwork=false', pod, true],
  [definition('nodes', { namespaced: false }), 'spec.unschedulable=false', object(), true],
  [definition('jobs', { group: 'batch' }), 'status.successful=2', object({ status: { succeeded: 2 } }), true],
  [definition('events'), 'source=kubelet', object({ source: {}, reportingComponent: 'kubelet' }), true],
  [definition('pods'), 'metadata.namespace==n', pod, true],
])('selects by fields: %#', (of, selector, given, expected) => {
  expect(selects(of, '', selector, given)).toBe(expected);
});

it('detects a selector for a single name', () => {
  expect(selectionOf(definition('pods'), '', 'metadata.name=a').name).toBe('a');
  expect(selectionOf(definition('pods'), '', 'metadata.name!=a').name).toBeUndefined();
});

it('allows the selectable fields of a custom kind', () => {
  const widgets = definition('widgets', { group: 'example.com', custom: true, selectableFields: ['spec.color'] });
  expect(selects(widgets, '', 'spec.color=red', object({ spec: { color: 'red' } }))).toBe(true);
});

it.each([
  [
    definition('configmaps'),
    'data.a=1',
    '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
  ],
  [definition('pods'), 'spec.containers=1', 'field label not supported: spec.containers'],
  [definition('nodes', { namespaced: false }), 'metadata.namespace=a', 'field label not supported: metadata.namespace'],
])('refuses other fields: %#', (of, selector, message) => {
  const attempt = () => selectionOf(of, '', selector);
  expect(attempt).toThrow(StatusError);
  expect(attempt).toThrow(message);
});
