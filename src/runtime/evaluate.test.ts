import { expect, test } from 'vitest';
import type { MaybePromise } from '../base/index.ts';
import { compilePolicy, type Evaluation, type LookUp, type LookUpAnswer } from '../policy/index.ts';
import { lookUpRefusal, strictLookUpRules } from './confinement.ts';
import { evaluate } from './evaluate.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'shop' } };
const request = {
  operation: 'CREATE' as const,
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  subresource: '',
  object,
  namespaceLabels: {},
  uid: 'u',
  now: 0,
};
const { signal } = new AbortController();

const program = (name: string, namespace: string | undefined, entry: object) =>
  compilePolicy({
    apiVersion: 'kyverno.io/v1',
    kind: namespace === undefined ? 'ClusterPolicy' : 'Policy',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      rules: [
        {
          name: 'r',
          match: { any: [{ resources: { kinds: ['ConfigMap'] } }] },
          context: [{ name: 'found', ...entry }],
          validate: {
            message: 'found {{ found.data.key }}',
            deny: { conditions: { all: [{ key: '{{ found.data.key }}', operator: 'Equals', value: 'secret' }] } },
          },
        },
      ],
    },
  }).program!;

test.each([
  ['a ConfigMap', { configMap: { name: 'x', namespace: 'kube-system' } }],
  ['a path', { apiCall: { urlPath: '/api/v1/namespaces/kube-system/secrets/x' } }],
  [
    'a path with a default',
    { apiCall: { urlPath: '/api/v1/namespaces/kube-system/secrets/x', default: { data: {} } } },
  ],
])('a Policy never gets what was looked up for a ClusterPolicy in the same request: %s', async (_, entry) => {
  const fetched: LookUp[] = [];
  const lookUps = {
    async answer(lookUp: LookUp): Promise<LookUpAnswer> {
      fetched.push(lookUp);
      const refusal = lookUpRefusal(lookUp, strictLookUpRules);
      return refusal === undefined ? { ok: true, value: { data: { key: 'secret' } } } : { ok: false, message: refusal };
    },
  };
  // As the phases of one request share it; the ClusterPolicy comes first.
  const known = new Map<string, LookUpAnswer>();
  for (const programs of [[program('a', undefined, entry)], [program('b', 'shop', entry)]]) {
    const { results } = await evaluate(programs, request, { phase: 'validate', lookUps, signal, known });
    const isOwn = programs[0]!.key === 'a';
    expect(results.map(({ message }) => message.includes('found secret'))).toEqual([isOwn]);
  }
  expect(fetched.map(({ policyNamespace }) => policyNamespace)).toEqual([undefined, 'shop']);
});

/** Look-ups of which some are ready, confined as those of a cluster. */
function readyLookUps(values: Readonly<Record<string, unknown>>) {
  const fetched: LookUp[] = [];
  const asked: LookUp[] = [];
  const check = (lookUp: LookUp) => {
    const refusal = lookUpRefusal(lookUp, strictLookUpRules);
    if (refusal !== undefined) throw new Error(refusal);
  };
  return {
    fetched,
    asked,
    async answer(lookUp: LookUp): Promise<LookUpAnswer> {
      fetched.push(lookUp);
      check(lookUp);
      return { ok: true, value: { data: { key: 'fetched' } } };
    },
    ready(lookUp: LookUp): LookUpAnswer | undefined {
      asked.push(lookUp);
      check(lookUp);
      const value = 'name' in lookUp && lookUp.name !== undefined ? values[lookUp.name] : undefined;
      return value === undefined ? undefined : { ok: true, value };
    },
  };
}

const messagesOf = (evaluation: MaybePromise<Evaluation>) => {
  if (evaluation instanceof Promise) throw new Error('the evaluation waits');
  return evaluation.results.map(({ message }) => message);
};

test('answers that are ready need no promise, and are shared by the phases of a request', () => {
  const lookUps = readyLookUps({ x: { data: { key: 'secret' } } });
  const known = new Map<string, LookUpAnswer>();
  const programs = [program('a', undefined, { configMap: { name: 'x', namespace: 'kube-system' } })];
  for (let phase = 0; phase < 2; phase++) {
    const evaluation = evaluate(programs, request, { phase: 'validate', lookUps, signal, known });
    expect(messagesOf(evaluation)).toEqual([expect.stringContaining('found secret')]);
  }
  expect(lookUps.fetched).toEqual([]);
  expect(lookUps.asked).toHaveLength(1);
});

test('what is not ready is fetched', async () => {
  const lookUps = readyLookUps({});
  const programs = [
    program('a', undefined, { configMap: { name: 'x', namespace: 'kube-system' } }),
    program('b', undefined, { configMap: { name: 'x', namespace: 'kube-system' } }),
  ];
  const evaluation = evaluate(programs, request, { phase: 'validate', lookUps, signal });
  expect((await evaluation).results.map(({ status }) => status)).toEqual(['pass', 'pass']);
  expect(lookUps.fetched).toHaveLength(1);
});

test.each([
  ['a ConfigMap of another namespace', { configMap: { name: 'x', namespace: 'kube-system' } }],
  ['a service', { apiCall: { service: { url: 'https://x' } } }],
  ['a path', { apiCall: { urlPath: '/api/v1/namespaces/kube-system/secrets/x' } }],
])('a Policy is refused what is ready, with the same words: %s', async (_, entry) => {
  const lookUps = readyLookUps({ x: { data: { key: 'secret' } } });
  const known = new Map<string, LookUpAnswer>();
  // A ClusterPolicy of the same request has it.
  await evaluate([program('a', undefined, entry)], request, { phase: 'validate', lookUps, signal, known });
  const programs = [program('b', 'shop', entry)];
  const [ready] = messagesOf(evaluate(programs, request, { phase: 'validate', lookUps, signal, known }));
  const { answer } = lookUps;
  const { results } = await evaluate(programs, request, { phase: 'validate', lookUps: { answer }, signal });
  expect(ready).toMatch(/a policy of namespace shop may|policies of namespace shop may not/);
  expect([ready]).toEqual(results.map(({ message }) => message));
});
