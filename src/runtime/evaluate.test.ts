import { expect, test } from 'vitest';
import { compilePolicy, type LookUp, type LookUpAnswer } from '../policy/index.ts';
import { lookUpRefusal, strictLookUpRules } from './confinement.ts';
import { evaluate } from './evaluate.ts';

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
  // As the phases of one request share it; the ClusterPolicy comes first.
  const known = new Map<string, LookUpAnswer>();
  for (const programs of [[program('a', undefined, entry)], [program('b', 'shop', entry)]]) {
    const { results } = await evaluate(programs, request, { phase: 'validate', lookUps, signal, known });
    const isOwn = programs[0]!.key === 'a';
    expect(results.map(({ message }) => message.includes('found secret'))).toEqual([isOwn]);
  }
  expect(fetched.map(({ policyNamespace }) => policyNamespace)).toEqual([undefined, 'shop']);
});
