import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImageDetected } from '../api/index.ts';
import { rfc3339 } from '../base/index.ts';
import { findPredecessor, findSuccessor, lineageOf } from './siblings.ts';

type Status = NonNullable<ImageDetected['status']>;
const detection = (name: string, second: number, status: Status = {}, tag = name): ImageDetected => ({
  apiVersion: 'automation.gitops.io/v1beta1',
  kind: 'ImageDetected',
  metadata: { name, namespace: 'n', uid: name },
  spec: {
    imageName: 'web',
    imageTag: tag,
    imageDigest: 'sha256:1',
    fullImageName: `r.io:5000/team/web:${tag}`,
    sourcePolicy: { name: 'p' },
    detectedAt: rfc3339(second * 1000),
  },
  status,
});

it('a lineage is a repository or a base name, with its prefix', () => {
  const one = detection('a', 1);
  expect(lineageOf(one, 'repository')).toBe('r.io:5000/team/web\n');
  expect(lineageOf(one, 'baseName')).toBe('web\n');
  expect(lineageOf({ spec: { ...one.spec, tagPrefix: 'dev' } }, 'exact')).toBe('r.io:5000/team/web\ndev');
});

describe('of detections of one lineage', () => {
  it('the newest goes first, after those that may have been pushed', () => {
    const [old, young] = [detection('old', 1), detection('young', 2)];
    expect(findPredecessor(old, [old, young])).toBe(young);
    expect(findPredecessor(young, [old, young])).toBeUndefined();
    const died = detection('died', 1, { phase: 'Processing', attempts: 1 });
    expect(findPredecessor(young, [died, young])).toBe(died);
    expect(findPredecessor(died, [died, young])).toBeUndefined();
    const cut = (reason: string) =>
      detection('cut', 1, {
        phase: 'Failed',
        attempts: 2,
        conditions: [{ type: 'Ready', status: 'False', reason, message: '', lastTransitionTime: '' }],
      });
    expect(findPredecessor(young, [cut('GitUnreachable'), young])?.metadata.name).toBe('cut');
    expect(findPredecessor(young, [cut('InvalidTemplate'), young])).toBeUndefined();
  });

  it('one can always proceed', () => {
    const phase = fc.constantFrom<Status>({}, { phase: 'Pending' }, { phase: 'Processing', attempts: 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), phase), { minLength: 1, maxLength: 6 }), (given) => {
        const all = given.map(([second, status], i) => detection(`d${i}`, second, status));
        expect(all.filter((one) => findPredecessor(one, all) === undefined)).toHaveLength(1);
      }),
    );
  });

  it('an older one is superseded when a newer one was committed', () => {
    const committed = detection('new', 2, { phase: 'Completed', resourceCreated: true });
    const skipped = detection('new', 2, { phase: 'Completed', resourceCreated: false });
    const old = detection('old', 1);
    expect(findSuccessor(old, [committed])).toBe(committed);
    expect(findSuccessor(old, [skipped])).toBeUndefined();
    expect(findSuccessor(detection('newest', 3), [committed])).toBeUndefined();
  });
});
