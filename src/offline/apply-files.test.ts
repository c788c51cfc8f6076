import { describe, expect, it } from 'vitest';
import { SupercargoError } from '../base/index.ts';
import { memoryFiles } from '../manifests/index.ts';
import { openApplication } from './apply.ts';
import { applyToFiles } from './apply-files.ts';
import type { Finding, FindingOptions } from './report/index.ts';
import { type ApplyOptions, loadSetup } from './setup.ts';

const policy = (rule: string, spec = '') => `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: p
spec:
${spec}  rules:
    - name: r
      match: {any: [{resources: {kinds: [Thing, Gadget]}}]}
${rule}`;

const noLatest = policy(
  '      validate: {message: no latest, pattern: {spec: {image: "!*:latest"}}}\n',
  '  validationFailureAction: Enforce\n',
);

const thing = (name: string, image: string, more = '') =>
  `apiVersion: v1\nkind: Thing\nmetadata:\n  name: ${name}\n${more}spec:\n  image: ${image}\n`;

interface Given extends Partial<Omit<ApplyOptions, 'files'>> {
  readonly resources?: readonly string[];
  readonly findings?: Partial<FindingOptions>;
}

async function apply(texts: Readonly<Record<string, string>>, given: Given = {}): Promise<readonly Finding[]> {
  const files = memoryFiles(texts);
  const { resources = ['r.yaml'], findings = {}, ...options } = given;
  const setup = loadSetup({ files, policies: ['p.yaml'], now: 0, ...options });
  const found: Finding[] = [];
  const options2: FindingOptions = { auditWarn: false, entries: 'all', objects: 'none', ...findings };
  const application = openApplication(setup);
  const { signal } = new AbortController();
  for await (const finding of applyToFiles({ application, setup, files, resources, findings: options2, signal }))
    found.push(finding);
  return found;
}

const refusal = (texts: Readonly<Record<string, string>>, given: Given = {}) =>
  apply(texts, given).then(
    () => undefined,
    (thrown: SupercargoError) => {
      expect(thrown).toBeInstanceOf(SupercargoError);
      return thrown.message;
    },
  );

describe('resources of files', () => {
  it('are evaluated in the order of the files, with their places', async () => {
    const found = await apply(
      {
        'p.yaml': noLatest,
        'd/b.yaml': thing('b', 'x:latest'),
        'd/a.yaml': `${thing('a', 'x:1')}---\n${thing('c', 'x:1')}`,
      },
      { resources: ['d'] },
    );
    expect(
      found.map(({ entries: [entry] }) => [entry?.resource.name, entry?.result, `${entry?.file}:${entry?.line}`]),
    ).toEqual([
      ['a', 'pass', 'd/a.yaml:1'],
      ['c', 'pass', 'd/a.yaml:8'],
      ['b', 'fail', 'd/b.yaml:1'],
    ]);
    expect(found.map(({ isBlocked }) => isBlocked)).toEqual([false, false, true]);
  });

  it('come from standard input, lists and hidden folders as expected', async () => {
    const list = JSON.stringify({
      kind: 'List',
      apiVersion: 'v1',
      items: [JSON.parse('{"apiVersion":"v1","kind":"Thing","metadata":{"name":"x"}}')],
    });
    const found = await apply({ 'p.yaml': noLatest, '-': list }, { resources: ['-'] });
    expect(found).toHaveLength(1);
    const hidden = {
      'p.yaml': noLatest,
      'd/.git/x.yaml': 'nonsense',
      'd/a.yaml': thing('a', 'x:1'),
      'd/readme.md': '#',
    };
    expect(await apply(hidden, { resources: ['d'] })).toHaveLength(1);
  });

  it('of a custom kind without namespaces have none, wherever in the file its definition is', async () => {
    const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec: {group: example.com, scope: Cluster, names: {kind: Gadget, plural: gadgets}}
`;
    const gadget = 'apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n';
    const names = async (text: string) =>
      (await apply({ 'p.yaml': noLatest, 'r.yaml': text }))
        .flatMap(({ entries }) => entries)
        .find(({ resource }) => resource.kind === 'Gadget')?.resource.namespace;
    expect(await names(gadget)).toBe('default');
    expect(await names(`${definition}---\n${gadget}`)).toBeUndefined();
    expect(await names(`${gadget}---\n${definition}`)).toBeUndefined();
  });
});

describe('what is found', () => {
  const texts = { 'p.yaml': noLatest, 'r.yaml': `${thing('a', 'x:1')}---\n${thing('b', 'x:latest')}` };

  it('is counted even if only failures are reported', async () => {
    const [good, bad] = await apply(texts, { findings: { entries: 'notable' } });
    expect(good).toMatchObject({ entries: [], summary: { pass: 1, fail: 0 } });
    expect(bad).toMatchObject({ entries: [{ result: 'fail', action: 'Enforce' }], summary: { pass: 0, fail: 1 } });
  });

  it('by Audit rules blocks nothing, and is a warning on request', async () => {
    const audit = { ...texts, 'p.yaml': noLatest.replace('Enforce', 'Audit') };
    expect((await apply(audit))[1]).toMatchObject({ isBlocked: false, entries: [{ result: 'fail' }] });
    expect((await apply(audit, { findings: { auditWarn: true } }))[1]).toMatchObject({ entries: [{ result: 'warn' }] });
  });

  it('has the mutated resources and the generated objects', async () => {
    const mutate = policy('      mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}\n');
    const generate = policy(
      '      generate: {apiVersion: v1, kind: ConfigMap, name: "{{request.object.metadata.name}}-c", namespace: ns, data: {data: {k: v}}}\n',
    ).replace('name: p', 'name: g');
    const [finding] = await apply(
      { 'p.yaml': `${mutate}---\n${generate}`, 'r.yaml': thing('a', 'x:1') },
      { findings: { objects: 'changed' } },
    );
    // The namespace that rules see was filled in: the file does not have it.
    expect(finding?.object?.metadata).toEqual({ name: 'a', labels: { a: 'b' } });
    expect(finding?.generated?.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual(['ConfigMap/a-c']);
    expect(finding?.entries.map(({ mutated, generated }) => [mutated !== undefined, generated?.length])).toEqual([
      [true, undefined],
      [false, 1],
    ]);
  });
});

it('has the line of the field, in documents and in lists, on request', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n${['x:1', 'y:latest']
    .map((image) => `- apiVersion: v1\n  kind: Thing\n  metadata: {name: a}\n  spec:\n    image: ${image}\n`)
    .join('')}`;
  const resources = `${thing('a', 'x:1')}---\n${thing('b', 'x:latest')}---\n${list}`;
  const found = await apply(
    { 'p.yaml': noLatest, 'r.yaml': resources },
    { findings: { entries: 'notable', isDetailed: true } },
  );
  const failed = found.flatMap(({ entries }) => entries);
  expect(failed.map(({ line, fieldLine }) => [line, fieldLine])).toEqual([
    [8, 13],
    [15, 27],
  ]);
});

describe('values', () => {
  const conditional = policy(
    '      context: [{name: c, configMap: {name: settings, namespace: ns}}]\n      preconditions: {all: [{key: "{{ c.data.mode }}", operator: Equals, value: strict}]}\n      validate: {deny: {}}\n',
  );
  const values =
    'globalValues: {c.data.mode: mild}\npolicies: [{name: p, resources: [{name: a, values: {c.data.mode: strict}}]}]\n';
  const statuses = async (given: Given) =>
    (
      await apply(
        { 'p.yaml': conditional, 'v.yaml': values, 'r.yaml': `${thing('a', 'x')}---\n${thing('b', 'x')}` },
        given,
      )
    ).map(({ entries }) => entries[0]?.result);

  it('come from a file of any kind', async () => {
    expect(await statuses({ valuesFile: 'v.yaml' })).toEqual(['fail', 'skip']);
  });

  it('of the command line override the file', async () => {
    expect(await statuses({ valuesFile: 'v.yaml', set: { 'c.data.mode': 'off' } })).toEqual(['skip', 'skip']);
    expect(await statuses({ set: { 'c.data.mode': 'strict' } })).toEqual(['fail', 'fail']);
  });
});

describe('objects of a fake cluster', () => {
  it('resolve ConfigMap entries', async () => {
    const withConfigMap = policy(
      '      context: [{name: c, configMap: {name: settings, namespace: ns}}]\n      validate: {deny: {conditions: {all: [{key: "{{ c.data.forbid }}", operator: Equals, value: "yes"}]}}}\n',
    );
    const settings =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: ns}\ndata: {forbid: "yes"}\n';
    const found = await apply(
      { 'p.yaml': withConfigMap, 'c.yaml': settings, 'r.yaml': thing('a', 'x') },
      { cluster: ['c.yaml'] },
    );
    expect(found[0]?.summary.fail).toBe(1);
  });
});

describe('invalid input is rejected with one line:', () => {
  const good = { 'p.yaml': noLatest, 'r.yaml': thing('a', 'x:1') };
  it.each<[string, Readonly<Record<string, string>>, Given, RegExp]>([
    ['a missing file', good, { resources: ['none.yaml'] }, /^cannot read none\.yaml: there is no such file or folder$/],
    ['broken YAML', { ...good, 'r.yaml': 'a: b\n c: d\n' }, {}, /^r\.yaml:2:\d+: /],
    [
      'broken YAML of a later batch',
      { ...good, 'r.yaml': `${thing('a', 'x', '  x: ').repeat(1)}---\na: [\n` },
      {},
      /^r\.yaml:\d+:\d+: /,
    ],
    ['no kind', { ...good, 'r.yaml': 'metadata: {name: a}\n' }, {}, /^r\.yaml:1:1: apiVersion and kind are missing$/],
    [
      'no name',
      { ...good, 'r.yaml': 'apiVersion: v1\nkind: Thing\n' },
      {},
      /^r\.yaml:1: Thing: metadata\.name is missing$/,
    ],
    ['a list', { ...good, 'r.yaml': '- a\n' }, {}, /^r\.yaml:1:1: a map is expected here$/],
    ['nothing to evaluate', { ...good, 'd/x.txt': '' }, { resources: ['d'] }, /^there is no resource in d$/],
    ['no policy', { ...good, 'd/x.yaml': 'a: 1' }, { policies: ['d'] }, /^there is no policy in d$/],
    [
      'something else than a policy',
      { ...good, 'p.yaml': thing('a', 'x') },
      {},
      /^p\.yaml:1: Thing \(v1\) is not a policy$/,
    ],
    [
      'something else than an exception',
      good,
      { exceptions: ['r.yaml'] },
      /^r\.yaml:1: Thing is not a PolicyException$/,
    ],
    [
      'values with a field of their own',
      { ...good, 'v.yaml': 'value: 1\n' },
      { valuesFile: 'v.yaml' },
      /^v\.yaml:1: unknown field "value"$/,
    ],
  ])('%s', async (_, texts, given, message) => {
    expect(await refusal(texts, given)).toMatch(message);
  });

  it('a policy, every issue with its field and code', async () => {
    const wrong = noLatest.replace('kinds: [Thing, Gadget]', 'kinds: []').replace('validate:', 'validat:');
    const lines = (await refusal({ ...good, 'p.yaml': wrong }))?.split('\n') ?? [];
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(line).toMatch(/^p\.yaml:1: ClusterPolicy p: spec\S*: .+ \(policy-[a-z-]+\)$/);
  });
});

it('folders of policies may contain other documents, which are counted', () => {
  const files = memoryFiles({ 'd/p.yaml': noLatest, 'd/values.yaml': 'a: 1\n', 'd/r.yaml': thing('a', 'x') });
  expect(loadSetup({ files, policies: ['d'], now: 0 })).toMatchObject({ ignored: 2, policies: [{ file: 'd/p.yaml' }] });
});

describe('apply configurations of custom kinds', () => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  names: { kind: Widget, plural: widgets }
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              parts:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: { type: object, properties: { name: { type: string }, size: { type: integer } } }
`;
  const mutating = `apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: { name: p }
spec:
  matchConstraints:
    resourceRules:
    - { apiGroups: [example.com], apiVersions: [v1], operations: [CREATE], resources: [widgets] }
  evaluation: { useServerSideApply: true }
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: { expression: "Object{spec: Object.spec{parts: [Object.spec.parts{name: 'b', size: 2}]}}" }
`;
  const widget = `apiVersion: example.com/v1
kind: Widget
metadata: { name: w }
spec: { parts: [{ name: a, size: 1 }] }
`;
  const parts = async (texts: Readonly<Record<string, string>>, given: Given = {}) => {
    const found = await apply({ 'p.yaml': mutating, ...texts }, { findings: { objects: 'changed' }, ...given });
    return found.at(-1)?.object?.['spec'];
  };

  it('are merged by their definition, given among the resources or as a part of the cluster', async () => {
    const merged = {
      parts: [
        { name: 'a', size: 1 },
        { name: 'b', size: 2 },
      ],
    };
    expect(await parts({ 'r.yaml': `${definition}---\n${widget}` })).toEqual(merged);
    expect(await parts({ 'r.yaml': widget, 'crd.yaml': definition }, { cluster: ['crd.yaml'] })).toEqual(merged);
  });

  it('replace lists where no definition is given', async () => {
    expect(await parts({ 'r.yaml': widget })).toEqual({ parts: [{ name: 'b', size: 2 }] });
  });
});
