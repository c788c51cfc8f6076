import { expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import { eventConversion } from './event-conversion.ts';

const metadata = { name: 'a', namespace: 'default' };

it('shows one event under the names of either API, and loses nothing on the way', () => {
  const core: KubeObject = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata,
    involvedObject: { kind: 'Pod', name: 'p' },
    reason: 'Pulled',
    message: 'got it',
    source: { component: 'kubelet' },
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:01Z',
    count: 2,
    type: 'Normal',
    eventTime: null,
    reportingComponent: 'kubelet',
    reportingInstance: 'node-1',
  };
  const newer = eventConversion.fromStored(core);
  expect(newer).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata,
    regarding: { kind: 'Pod', name: 'p' },
    reason: 'Pulled',
    note: 'got it',
    deprecatedSource: { component: 'kubelet' },
    deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
    deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
    deprecatedCount: 2,
    type: 'Normal',
    eventTime: null,
    reportingController: 'kubelet',
    reportingInstance: 'node-1',
  });
  expect(eventConversion.toStored(newer)).toEqual(core);
});

it('turns the CPU target of autoscaling/v1 into a metric and back', () => {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' };
  const old: KubeObject = {
    apiVersion: 'autoscaling/v1',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { scaleTargetRef, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
  };
  const target = { type: 'Utilization', averageUtilization: 70 };
  const stored = autoscalerConversion.toStored(old);
  expect(stored).toMatchObject({
    apiVersion: 'autoscaling/v2',
    spec: { scaleTargetRef, maxReplicas: 3, metrics: [{ type: 'Resource', resource: { name: 'cpu', target } }] },
  });
  expect(stored['spec']).not.toHaveProperty('targetCPUUtilizationPercentage');
  expect(autoscalerConversion.fromStored(stored)).toEqual(old);
});

it('shows in autoscaling/v1 no metric but the CPU', () => {
  const memory = {
    type: 'Resource',
    resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 5 } },
  };
  const stored: KubeObject = {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata,
    spec: { maxReplicas: 3, metrics: [memory] },
  };
  expect(autoscalerConversion.fromStored(stored)['spec']).toEqual({ maxReplicas: 3 });
});
