import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import type { ResourceDefinition, ScalePaths } from '../resources/definition.ts';
import { StatusError } from '../status.ts';
import { scaleOf, withScale } from './scale.ts';

const paths: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};
// Only the paths are asked for.
const definition = (scale?: ScalePaths) => ({ scale }) as ResourceDefinition;
const deployment: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7', labels: { not: 'shown' } },
  spec: {
    replicas: 3,
    selector: {
      matchLabels: { b: '2', a: '1' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['y', 'x'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'new', operator: 'Exists' },
      ],
    },
  },
  status: { replicas: 2 },
};

it('shows replicas and the selector as text', () => {
  expect(scaleOf(deployment, definition(paths))).toEqual({
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: '7', creationTimestamp: undefined },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: '!old,a=1,b=2,new,tier in (x,y)' },
  });
});

it('shows zero for what is not there', () => {
  const { spec: _, status: __, ...bare } = deployment;
  expect(scaleOf(bare as KubeObject, definition({ ...paths, labelSelectorPath: '' }))).toMatchObject({
    spec: { replicas: 0 },
    status: { replicas: 0 },
  });
});

it('writes the replicas and nothing else, at the version that was sent', () => {
  const scaled = withScale(
    deployment,
    { metadata: { resourceVersion: '6', labels: { no: 'no' } }, spec: { replicas: 9 } },
    definition(paths),
  );
  expect(scaled).toEqual({
    ...deployment,
    metadata: { ...deployment.metadata, resourceVersion: '6' },
    spec: { ...(deployment['spec'] as object), replicas: 9 },
  });
  expect(deployment['spec']).toMatchObject({ replicas: 3 });
});

it.each([-1, 1.5, '3'])('refuses %j replicas', (replicas) => {
  expect(() => withScale(deployment, { spec: { replicas } }, definition(paths))).toThrow(
    /spec\.replicas: Invalid value/,
  );
});

it('answers 404 for a kind without scale', () => {
  expect(() => scaleOf(deployment, definition())).toThrow(StatusError);
});
