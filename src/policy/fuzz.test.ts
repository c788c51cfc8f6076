import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPolicy, policyIssueCodes } from './check/index.ts';
import { compileException, compilePolicy, type PolicyProgram, type RuleResult } from './index.ts';
import { exceptions, policies } from './testing/arbitrary-policy.ts';
import { requests } from './testing/arbitrary-request.ts';
import { fuzzRuns } from './testing/arbitrary-values.ts';
import { corrupted } from './testing/corrupt.ts';
import { evaluateAll } from './testing/evaluate-all.ts';
import { stumbled } from './testing/stumbled.ts';

const statuses: readonly RuleResult['status'][] = ['pass', 'fail', 'error', 'skip'];

function evaluated(policy: unknown, exception: unknown, request: Parameters<typeof evaluateAll>[1]) {
  const { program } = compilePolicy(policy);
  const excused = compileException(exception).program;
  if (!program) return undefined;
  const { rules } = evaluateAll([program as PolicyProgram], request, {
    evaluation: { exceptions: excused ? [excused] : [], explain: true },
  });
  for (const { status, message } of rules) {
    expect(statuses).toContain(status);
    expect(message).not.toMatch(stumbled);
  }
  return rules;
}

describe('random policies on random objects', () => {
  it('always end in results', () => {
    const seen = new Map<string, number>();
    let compiled = 0;
    let tried = 0;
    fc.assert(
      fc.property(policies, exceptions, requests, (policy, exception, request) => {
        tried++;
        const rules = evaluated(policy, exception, request);
        if (!rules) return;
        compiled++;
        for (const { phase, status } of rules) {
          const key = `${phase} ${status}`;
          seen.set(key, (seen.get(key) ?? 0) + 1);
        }
      }),
      fuzzRuns(1000),
    );
    // The generators are useful only if most policies run and every type of rule reaches every status.
    expect(compiled).toBeGreaterThan(tried / 2);
    const ends = [
      ...['pass', 'fail', 'error', 'skip'].map((status) => `validate ${status}`),
      ...['pass', 'error', 'skip'].flatMap((status) => [`mutate ${status}`, `generate ${status}`]),
      'verifyImages skip',
    ];
    expect(ends.filter((end) => !seen.has(end))).toEqual([]);
  });

  it('are refused with a code, a path and a message when they are corrupted', () => {
    fc.assert(
      fc.property(corrupted(policies), corrupted(exceptions), requests, (policy, exception, request) => {
        for (const { code, path, message } of checkPolicy(policy)) {
          expect(policyIssueCodes).toContain(code);
          expect(typeof path).toBe('string');
          expect(message).not.toMatch(stumbled);
          expect(message.length).toBeLessThan(2000);
        }
        evaluated(policy, exception, request);
      }),
      fuzzRuns(800),
    );
  });

  it('do not change prototypes', () => {
    fc.assert(
      fc.property(corrupted(policies), exceptions, requests, (policy, exception, request) => {
        evaluated(policy, exception, request);
        expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      fuzzRuns(150),
    );
  });
});
