import { expect, it } from 'vitest';
import type { ImageDetected, ImageResourcePolicy } from '../api/index.ts';
import { checkDetectionFields, confirmDetection } from './detection-check.ts';

const digest = `sha256:${'a'.repeat(64)}`;
const spec: ImageDetected['spec'] = {
  imageName: 'team-web',
  imageTag: 'dev-v2',
  imageDigest: digest,
  fullImageName: 'r.example:5000/team/web:dev-v2',
  tagPrefix: 'dev',
  sourcePolicy: { name: 'p' },
  detectedAt: '2026-01-01T00:00:10Z',
};
const recorded = { repository: 'team/web', prefix: 'dev', tag: 'dev-v2', digest, detectedAt: '2026-01-01T00:00:11Z' };
const policy = (entry: object, registry = 'r.example:5000'): Pick<ImageResourcePolicy, 'spec' | 'status'> => ({
  spec: { ociRepository: { registry }, policy: {}, templateRef: { name: 't' } },
  status: { lastDetected: [{ ...recorded, ...entry }] },
});

it('accepts a detection as it is written, and rejects any field that is not part of an image reference', () => {
  expect(checkDetectionFields(spec).path).toBe('team/web');
  for (const [field, value] of [
    ['imageTag', 'x: z'],
    ['imageTag', 'dev-v3'],
    ['imageDigest', 'sha256:1\nkind: Secret'],
    ['imageName', 'web\n---\nkind: ClusterRoleBinding'],
    ['imageName', '../web'],
    ['fullImageName', 'r.example/team/web:dev-v2 # x'],
    ['fullImageName', `r.example/team/web:dev-v2@${digest}`],
    ['tagPrefix', 'dev }'],
  ] as const)
    expect(() => checkDetectionFields({ ...spec, [field]: value }), `${field} ${value}`).toThrow(/^spec\./);
});

it('confirms only what the policy records', () => {
  expect(confirmDetection({ spec }, policy({}))).toBe('confirmed');
  for (const entry of [{ digest: `sha256:${'b'.repeat(64)}` }, { tag: 'dev-v1' }])
    expect(confirmDetection({ spec }, policy({ ...entry, detectedAt: '2026-01-01T00:00:01Z' }))).toBe('unconfirmed');
  for (const entry of [{ repository: 'team/api' }, { prefix: 'prod' }])
    expect(confirmDetection({ spec }, policy(entry))).toBe('unconfirmed');
  expect(confirmDetection({ spec }, policy({}, 'other.example'))).toBe('unconfirmed');
  expect(confirmDetection({ spec: { ...spec, imageName: 'evil' } }, policy({}))).toBe('unconfirmed');
  expect(confirmDetection({ spec }, { spec: policy({}).spec })).toBe('unconfirmed');
});

it('recognises a superseded detection', () => {
  expect(confirmDetection({ spec }, policy({ tag: 'dev-v3' }))).toBe('superseded');
});
