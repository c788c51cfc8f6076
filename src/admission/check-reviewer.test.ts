import { describe, expect, it } from 'vitest';
import type { AdmissionRequest } from '../webhook/index.ts';
import { createCheckReviewer } from './check-reviewer.ts';

const rule = {
  name: 'r',
  match: { any: [{ resources: { kinds: ['Pod'] } }] },
  validate: { message: 'm', pattern: { spec: { hostPID: false } } },
};
const policy = (rules: readonly object[], metadata: object = {}) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', ...metadata },
  spec: { rules },
});
const check = async (object: object, oldObject?: object, selects = true) => {
  const request = {
    kind: { group: 'kyverno.io', version: 'v1', kind: 'ClusterPolicy' },
    object,
    oldObject,
  } as unknown as AdmissionRequest;
  const context = { route: '', bytes: 0, signal: new AbortController().signal };
  return createCheckReviewer({ selects: () => selects }).review(request, context);
};
const broken = policy([{ ...rule, validate: { message: 'm' } }]);

describe('the check of a policy', () => {
  it('admits one that can run', async () => expect((await check(policy([rule]))).denied).toBeUndefined());

  it('names the field of one that cannot', async () => {
    expect((await check(broken)).denied).toMatch(/^the ClusterPolicy cannot be used: spec\.rules\[0\]\.validate: /);
  });

  it('leaves a broken one open to labels and to its end', async () => {
    expect(await check({ ...broken, metadata: { name: 'p', labels: { a: 'b' } } }, broken)).toEqual({});
    expect(await check({ ...broken, metadata: { name: 'p', deletionTimestamp: 'now' } })).toEqual({});
  });

  it("says nothing of another engine's policies", async () =>
    expect(await check(broken, undefined, false)).toEqual({}));
});
