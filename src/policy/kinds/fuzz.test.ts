import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { policyIssueCodes } from '../check/index.ts';
import { compilePolicy, type PolicyProgram } from '../index.ts';
import { celRules, kindPolicies } from '../testing/arbitrary-kind-policy.ts';
import { requests } from '../testing/arbitrary-request.ts';
import { fuzzRuns } from '../testing/arbitrary-values.ts';
import { corrupted } from '../testing/corrupt.ts';
import { evaluateAll } from '../testing/evaluate-all.ts';
import { stumbled } from '../testing/stumbled.ts';

/** More than any budget allows, on a machine that does ten other things. */
const maxMs = 20_000;

function evaluated(policy: unknown, request: Parameters<typeof evaluateAll>[1]) {
  const start = performance.now();
  const { program, issues } = compilePolicy(policy);
  for (const { code, path, message } of issues) {
    expect(policyIssueCodes).toContain(code);
    expect(typeof path).toBe('string');
    expect(message).not.toMatch(stumbled);
  }
  const rules = program ? evaluateAll([program as PolicyProgram], request).rules : undefined;
  for (const { status, message } of rules ?? []) {
    expect(['pass', 'fail', 'error', 'skip']).toContain(status);
    expect(message).not.toMatch(stumbled);
  }
  expect(performance.now() - start).toBeLessThan(maxMs);
  return rules;
}

describe('random policies of expressions', () => {
  it('always end in issues or results', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(kindPolicies, requests, (policy, request) => {
        for (const { phase, status } of evaluated(policy, request) ?? []) seen.add(`${phase} ${status}`);
      }),
      fuzzRuns(600),
    );
    // The generators are useful only if what they make runs, and ends in every way.
    const ends = [
      ...['pass', 'fail', 'error'].map((status) => `validate ${status}`),
      ...['mutate', 'generate'].flatMap((phase) => [`${phase} pass`, `${phase} error`]),
      ...['pass', 'fail', 'error'].map((status) => `delete ${status}`),
    ];
    expect(ends.filter((end) => !seen.has(end))).toEqual([]);
  });

  it('are refused with a code, a path and a message when they are corrupted', () => {
    fc.assert(
      fc.property(corrupted(kindPolicies), requests, (policy, request) => void evaluated(policy, request)),
      fuzzRuns(600),
    );
  });

  it('end in results as expressions of classic rules', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(celRules, requests, (policy, request) => {
        for (const { status } of evaluated(policy, request) ?? []) seen.add(status);
      }),
      fuzzRuns(300),
    );
    expect([...seen].sort()).toEqual(expect.arrayContaining(['fail', 'pass', 'skip']));
  });
});
