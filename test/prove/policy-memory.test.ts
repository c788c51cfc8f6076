import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import {
  compilePolicy,
  createEvaluation,
  type LookUpAnswer,
  lookUpKey,
  type Phase,
  type PolicyRequest,
} from '../../src/policy/index.ts';

const evaluations = Number(process.env['EVALUATIONS'] ?? 1_000_000);
/** Caches fill in the first part; only what comes after it can be a leak. */
const warmUp = 0.2;
const samples = 8;

const kinds = ['Pod'];
const match = { any: [{ resources: { kinds } }] };
const policies = [
  {
    name: 'pattern',
    validate: {
      message: '{{ request.object.metadata.name }}',
      pattern: { metadata: { labels: { 'app-*': '?*' } }, spec: { containers: [{ image: '!*:latest' }] } },
    },
  },
  {
    name: 'nested-variable',
    context: [
      { name: 'table', variable: { value: { a: 1 } } },
      { name: 'settings', configMap: { name: 'settings', namespace: 'default' } },
    ],
    validate: {
      message: 'm',
      deny: {
        conditions: {
          any: [
            {
              key: '{{ table."{{ request.object.metadata.name }}" || \'{{ settings.data.a }}\' }}',
              operator: 'Equals',
              value: 'x*',
            },
          ],
        },
      },
    },
  },
  {
    name: 'loop',
    validate: {
      message: 'm',
      foreach: [
        {
          list: 'request.object.spec.containers',
          deny: {
            conditions: {
              any: [
                { key: "{{ regex_match('^{{ element.name }}-', element.image) }}", operator: 'Equals', value: true },
              ],
            },
          },
        },
      ],
    },
  },
  { name: 'standard', validate: { podSecurity: { level: 'restricted' } } },
  { name: 'merge', mutate: { patchStrategicMerge: { metadata: { labels: { '+(seen)': '{{ request.uid }}' } } } } },
  {
    name: 'patch',
    mutate: {
      patchesJson6902: '[{"op":"add","path":"/metadata/annotations/x","value":"{{ request.object.metadata.name }}"}]',
    },
  },
  {
    name: 'generate',
    generate: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: 'default',
      name: "n-{{ random('[a-z]{8}') }}",
      data: { data: { of: '{{ request.object.metadata.name }}' } },
    },
  },
].map(({ name, ...body }) => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name, annotations: { 'pod-policies.kyverno.io/autogen-controllers': 'none' } },
  spec: { background: false, rules: [{ name, match, ...body }] },
}));

const programs = policies.map((policy) => {
  const { program, issues } = compilePolicy(policy);
  if (!program) throw new Error(JSON.stringify(issues));
  return program;
});

/** Every request is another: names, labels, images and texts that no cache has seen. */
function requestOf(i: number): PolicyRequest {
  return {
    operation: 'CREATE',
    kind: { group: '', version: 'v1', kind: 'Pod' },
    subresource: '',
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `pod-${i}`, namespace: 'default', uid: `u${i}`, labels: { [`app-${i}`]: 'x' } },
      spec: { containers: [{ name: `c${i}`, image: `nginx:${i}` }] },
    } as never,
    namespaceLabels: {},
    uid: `u${i}`,
    now: i,
  };
}

const answer: LookUpAnswer = { ok: true, value: { data: { a: 'b' } } };

function evaluate(i: number): number {
  const program = programs[i % programs.length]!;
  const phase: Phase = program.rules[0]!.phase;
  const evaluation = createEvaluation([program], requestOf(i), { phase });
  const known = new Map<string, LookUpAnswer>();
  for (let needs = evaluation.advance(known); needs.length > 0; needs = evaluation.advance(known))
    for (const need of needs) known.set(lookUpKey(need), answer);
  return evaluation.results.length;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

it(`takes no more memory after ${evaluations} evaluations than after the first of them`, () => {
  const startedMs = performance.now();
  const heaps: number[] = [];
  let results = 0;
  const first = Math.ceil(evaluations * warmUp);
  for (let i = 0; i < first; i++) results += evaluate(i);
  heaps.push(heapBytes());
  for (let sample = 0; sample < samples; sample++) {
    const from = first + Math.floor(((evaluations - first) * sample) / samples);
    const to = first + Math.floor(((evaluations - first) * (sample + 1)) / samples);
    for (let i = from; i < to; i++) results += evaluate(i);
    heaps.push(heapBytes());
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const growth = Math.max(...heaps.slice(-3)) - heaps[0]!;
  const mebibytes = (bytes: number) => (bytes / 1_048_576).toFixed(1);
  console.log(
    `figure: ${evaluations} policy evaluations in ${seconds.toFixed(0)} s, heap ${mebibytes(heaps[0]!)} MiB after a fifth and ${mebibytes(heaps.at(-1)!)} MiB at the end`,
  );
  expect(results).toBe(evaluations);
  // Ten bytes for each evaluation would show: a leaked request alone takes a kilobyte.
  expect(growth).toBeLessThan(Math.max(4 * 1_048_576, evaluations * 10));
});
