import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileException, compilePolicy, type LookUp, type LookUpAnswer, type PolicyProgram } from './index.ts';
import { exceptions, policies } from './testing/arbitrary-policy.ts';
import { requests } from './testing/arbitrary-request.ts';
import { fuzzRuns } from './testing/arbitrary-values.ts';
import { answerByHash, evaluateAll } from './testing/evaluate-all.ts';
import { deepFreeze } from './testing/freeze.ts';

const changed = /read only property|not extensible|Cannot (delete|define|redefine) property/;
const programsOf = (policy: unknown): PolicyProgram[] => {
  const { program } = compilePolicy(policy);
  return program ? [program] : [];
};

describe('an evaluation', () => {
  it('changes neither the policy, the request nor an answer', () => {
    fc.assert(
      fc.property(policies, exceptions, requests, (policy, exception, request) => {
        const before = JSON.stringify([policy, exception, request]);
        deepFreeze([policy, exception, request]);
        const excused = compileException(exception).program;
        const { rules } = evaluateAll(programsOf(policy), request, {
          answer: (lookUp) => deepFreeze(answerByHash(lookUp)),
          evaluation: { exceptions: excused ? [excused] : [], explain: true },
        });
        expect(rules.filter(({ message }) => changed.test(message))).toEqual([]);
        expect(JSON.stringify([policy, exception, request])).toBe(before);
      }),
      fuzzRuns(500),
    );
  });

  it('gives equal results for equal requests, and after compiling again', () => {
    fc.assert(
      fc.property(policies, requests, (policy, request) => {
        const programs = programsOf(policy);
        const first = evaluateAll(programs, request);
        expect(evaluateAll(programs, request)).toEqual(first);
        expect(evaluateAll(programsOf(structuredClone(policy)), structuredClone(request))).toEqual(first);
      }),
      fuzzRuns(300),
    );
  });

  it('gives the same results in one round with all answers as in many rounds of look-ups', () => {
    fc.assert(
      fc.property(policies, requests, (policy, request) => {
        const programs = programsOf(policy);
        const asked = evaluateAll(programs, request);
        const replayed = evaluateAll(programs, request, { known: asked.known });
        expect(replayed.rounds).toBe(0);
        expect({ rules: replayed.rules, object: replayed.object }).toEqual({
          rules: asked.rules,
          object: asked.object,
        });
      }),
      fuzzRuns(300),
    );
  });
});

describe('answers that are ready', () => {
  it('give the same results as those that are looked up, all of them or some', () => {
    fc.assert(
      fc.property(policies, requests, fc.integer({ min: 1, max: 3 }), (policy, request, part) => {
        const programs = programsOf(policy);
        const isReady = (key: string) => createHash('sha256').update(key).digest()[1]! % part === 0;
        const ready = (lookUp: LookUp, key: string) => (isReady(key) ? answerByHash(lookUp) : undefined);
        const asked = evaluateAll(programs, request);
        const found = evaluateAll(programs, request, { evaluation: { ready } });
        expect({ rules: found.rules, object: found.object }).toEqual({ rules: asked.rules, object: asked.object });
        if (part === 1) expect(found.rounds).toBe(0);
      }),
      fuzzRuns(300),
    );
  });
});

describe('random names', () => {
  const program = compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name: 'names' },
    spec: {
      rules: [
        {
          name: 'two-names',
          match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
          context: [
            { name: 'first', variable: { value: "{{ random('[a-z]{12}') }}" } },
            { name: 'settings', configMap: { name: 'settings', namespace: 'default' } },
            { name: 'called', apiCall: { urlPath: '/api/v1/namespaces/{{ settings.data.a }}' } },
          ],
          generate: {
            apiVersion: 'v1',
            kind: 'ConfigMap',
            name: "{{ first }}-{{ random('[0-9]{8}') }}-{{ called.metadata.name }}",
            namespace: 'default',
            data: { data: { again: '{{ first }}' } },
          },
        },
      ],
    },
  }).program!;
  const request = (uid: string, generation = 1) => ({
    operation: 'CREATE' as const,
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    subresource: '',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'default', uid, generation } },
    namespaceLabels: {},
    uid,
    now: 0,
  });
  const answer = (): LookUpAnswer => ({ ok: true, value: { metadata: { name: 'n' }, data: { a: 'b' } } });
  const nameOf = (uid: string, generation?: number) => {
    const { rules, rounds } = evaluateAll([program], request(uid, generation), { answer });
    const [generated] = rules[0]!.generated as { metadata: { name: string }; data: { again: string } }[];
    return { name: generated!.metadata.name, again: generated!.data.again, rounds };
  };

  it('are the same after a rule was suspended and run again', () => {
    const { name, again, rounds } = nameOf('u1');
    expect(rounds).toBe(2);
    expect(name).toMatch(/^[a-z]{12}-[0-9]{8}-n$/);
    expect(name.startsWith(again)).toBe(true);
    expect(nameOf('u1').name).toBe(name);
  });

  it('differ between objects and between generations of an object', () => {
    const names = [nameOf('u1').name, nameOf('u2').name, nameOf('u1', 2).name];
    expect(new Set(names).size).toBe(3);
  });
});
