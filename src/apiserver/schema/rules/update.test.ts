import { describe, expect, it } from 'vitest';
import { renderFieldError } from '../field-error.ts';
import type { Fields } from '../value.ts';
import { validateUpdate } from './index.ts';

const metadata = { name: 'x', namespace: 'default', uid: 'u', resourceVersion: '1' };
const container = { name: 'app', image: 'a', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' };
const podSpec = { restartPolicy: 'Always', dnsPolicy: 'ClusterFirst', containers: [container] };
const pod = (spec: Fields, meta: Fields = {}): Fields => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...metadata, ...meta },
  spec: { ...podSpec, ...spec },
});
const job = (spec: Fields): Fields => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata,
  spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } }, completions: 1, ...spec },
});
const lines = (old: Fields, updated: Fields) => validateUpdate(old, updated).map(renderFieldError);

describe('validateUpdate', () => {
  it('lets images and further tolerations of a pod change', () => {
    const tolerations = [{ key: 'a', operator: 'Exists' }];
    const images = [{ ...container, image: 'b' }];
    expect(
      lines(pod({ tolerations }), pod({ containers: images, tolerations: [...tolerations, { key: 'b' }] })),
    ).toEqual([]);
  });

  it('names what else of a pod was changed', () => {
    const [line] = lines(pod({}), pod({ nodeName: 'n1' }));
    expect(line).toContain('spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`');
    expect(line).toContain('spec.nodeName');
  });

  it('does not let a toleration go', () => {
    expect(lines(pod({ tolerations: [{ key: 'a' }] }), pod({}))).toEqual([
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    ]);
  });

  it('keeps identity and creation time', () => {
    expect(lines(pod({}), pod({}, { uid: 'other' }))).toEqual([
      'metadata.uid: Invalid value: "other": field is immutable',
    ]);
    expect(lines(pod({}), pod({}, { resourceVersion: '' }))).toEqual([
      'metadata.resourceVersion: Invalid value: "": must be specified for an update',
    ]);
  });

  it('refuses new finalizers once the object is being deleted', () => {
    const dying = { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: ['a.com/x'] };
    expect(lines(pod({}, dying), pod({}, { ...dying, finalizers: ['a.com/x', 'a.com/y'] }))).toEqual([
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.com/y"}',
    ]);
  });

  it('keeps the template and the completions of a job', () => {
    const template = { spec: { ...podSpec, restartPolicy: 'OnFailure' } };
    const found = validateUpdate(job({}), job({ template, completions: 2 }));
    expect(found.map((error) => error.field)).toEqual(['spec.completions', 'spec.template']);
  });

  it('lets a job that never started be placed elsewhere', () => {
    const template = { spec: { ...podSpec, restartPolicy: 'Never', nodeSelector: { zone: 'a' } } };
    expect(lines(job({ suspend: true }), job({ suspend: true, template }))).toEqual([]);
  });
});
