import { expect, it } from 'vitest';
import { memoryFiles } from '../manifests/index.ts';
import { openApplication } from './apply.ts';
import { evaluateFiles } from './apply-files.ts';
import { type Explanation, explainResponse } from './explain.ts';
import { explanationTree } from './explain-tree.ts';
import { renderTree } from './render-tree.ts';
import { painter } from './report/index.ts';
import { type ApplyOptions, loadSetup } from './setup.ts';

const rule = (name: string, body: string) => `    - name: ${name}\n${body.replaceAll(/^/gm, '      ')}\n`;
const policyOf = (...rules: readonly string[]) =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  rules:\n${rules.join('')}`;

const pod = `apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {app.kubernetes.io/name: web}
spec:
  containers:
    - {name: a, image: nginx:1.29}
    - {name: b, image: nginx:latest}
`;

async function explain(policy: string, more: Partial<ApplyOptions> = {}): Promise<Explanation> {
  const files = memoryFiles({ 'p.yaml': policy, 'r.yaml': pod });
  const application = openApplication(loadSetup({ files, policies: ['p.yaml'], now: 0, explain: true, ...more }));
  for await (const evaluated of evaluateFiles(application, files, ['r.yaml'], new AbortController().signal))
    return explainResponse(application, evaluated);
  throw new Error('nothing was evaluated');
}

/** The lines below the policy. */
async function treeOf(policy: string): Promise<readonly string[]> {
  const text = renderTree(explanationTree(await explain(policy), false), painter(false));
  const [resource, name, ...lines] = text.trimEnd().split('\n');
  expect([resource, name]).toEqual(['Pod/shop/web (r.yaml:1)', '  policy p']);
  return lines.map((line) => line.slice(4));
}

const match = (filter: string) => `match: {any: [{resources: ${filter}}]}`;
const pods = match('{kinds: [Pod]}');

it('names the part of a filter that does not match', async () => {
  const deny = '\nvalidate: {deny: {}}';
  const policy = policyOf(
    rule('kind', `${match('{kinds: [Service]}')}${deny}`),
    rule('namespace', `${match('{kinds: [Pod], namespaces: [kube-*, other]}')}${deny}`),
    rule(
      'excluded',
      `${pods}\nexclude: {any: [{resources: {selector: {matchLabels: {app.kubernetes.io/name: web}}}}]}${deny}`,
    ),
    rule('several', `match: {any: [{resources: {kinds: [Service]}}, {resources: {kinds: [Pod], names: [x]}}]}${deny}`),
  );
  expect(await treeOf(policy)).toEqual([
    '– rule kind: no match',
    '  – match.any[0]: resources.kinds ["Service"] does not match "v1/Pod"',
    '– rule namespace: no match',
    '  – match.any[0]: resources.namespaces ["kube-*","other"] does not match "shop"',
    '– rule excluded: no match',
    '  – exclude.any[0]: resources.selector {"matchLabels":{"app.kubernetes.io/name":"web"}} matches {"app.kubernetes.io/name":"web"}',
    '– rule several: no match',
    '  – match.any[0]: resources.kinds ["Service"] does not match "v1/Pod"',
    '  – match.any[1]: resources.names ["x"] does not match "web"',
  ]);
});

it('shows the values of preconditions', async () => {
  const conditions = `all:
    - {key: "{{ request.operation }}", operator: Equals, value: CREATE}
    - {key: "{{ request.object.metadata.name }}", operator: AnyIn, value: [x, z]}`;
  expect(await treeOf(policyOf(rule('r', `${pods}\npreconditions:\n  ${conditions}\nvalidate: {deny: {}}`)))).toEqual([
    '– rule r: skip',
    '  ✓ match.any[0]: resources.kinds ["Pod"] matches "v1/Pod"',
    '  – preconditions: not met',
    '    ✓ all: {{ request.operation }} = "CREATE" Equals "CREATE"',
    '    – all: {{ request.object.metadata.name }} = "web" AnyIn ["x","z"]',
    '  – skip: preconditions not met',
  ]);
});

it('shows the element and the place where a pattern fails, with what was expected and found', async () => {
  const body = `${pods}\nvalidate:\n  message: pinned\n  foreach: [{list: request.object.spec.containers, pattern: {image: "!*:latest"}}]`;
  expect((await treeOf(policyOf(rule('r', body)))).slice(2)).toEqual([
    '  ✓ element 0 of request.object.spec.containers (name a)',
    '    ✓ pattern matches',
    '  ✗ element 1 of request.object.spec.containers (name b)',
    '    ✗ pattern does not match at /image/',
    '      ✗ expected "!*:latest"',
    '      ✗ found "nginx:latest"',
    '  ✗ fail: validation failure: validation error: pinned. rule r failed at path /image/',
  ]);
});

it('handles anchors, lists and keys with slashes', async () => {
  const fails = async (pattern: string) => {
    const { rules } = await explain(policyOf(rule('r', `${pods}\nvalidate: {message: m, pattern: ${pattern}}`)));
    return rules[0]?.steps.map((step) => (step.kind === 'pattern' ? [step.path, step.expected, step.found] : step));
  };
  expect(await fails('{spec: {=(containers): [{image: "*:1.29"}]}}')).toEqual([
    ['/spec/containers/1/image/', '*:1.29', 'nginx:latest'],
  ]);
  expect(await fails('{metadata: {labels: {app.kubernetes.io/name: other}}}')).toEqual([
    ['/metadata/labels/app.kubernetes.io/name/', 'other', 'web'],
  ]);
  expect(await fails('{spec: {hostNetwork: false}}')).toEqual([['/spec/hostNetwork/', false, undefined]]);
});

it('shows each path that an assertion checked', async () => {
  const tree = `{object: {metadata: {name: web}, spec: {nodeName: x, "~.containers": {"(ends_with(image, ':latest'))": false}}}}`;
  expect((await treeOf(policyOf(rule('r', `${pods}\nvalidate: {assert: ${tree}}`)))).slice(2)).toEqual([
    '  ✓ object.metadata.name: "web"',
    '  ✗ object.spec.nodeName: Required value: field not found in the input object',
    "  ✓ object.spec.~.containers[0].(ends_with(image, ':latest')): false",
    "  ✗ object.spec.~.containers[1].(ends_with(image, ':latest'))",
    '    ✗ expected false',
    '    ✗ found true',
    '  ✗ fail: object.spec.nodeName: Required value: field not found in the input object; ' +
      "object.spec.~.containers[1].(ends_with(image, ':latest')): Invalid value: true: Expected value: false",
  ]);
});

it('marks the conditions of a deny that hold as decisive', async () => {
  const body = `${pods}\nvalidate: {message: m, deny: {conditions: {any: [{key: "{{ length(request.object.spec.containers) }}", operator: GreaterThan, value: 1}]}}}`;
  expect((await treeOf(policyOf(rule('r', body)))).slice(2)).toEqual([
    '  ✗ deny: the conditions hold',
    '    ✓ any: {{ length(request.object.spec.containers) }} = 2 GreaterThan 1',
    '  ✗ fail: m',
  ]);
});

it('shows what a mutation changed, each on top of the one before', async () => {
  const label = (name: string) => `${pods}\nmutate: {patchStrategicMerge: {metadata: {labels: {${name}: "1"}}}}`;
  const { rules } = await explain(policyOf(rule('one', label('first')), rule('two', label('second'))));
  const added = rules
    .filter(({ status }) => status === 'pass')
    .map(({ diff = '' }) => diff.split('\n').filter((line) => /^[+-]/.test(line)));
  expect(added).toEqual([['+     first: "1"'], ['+     second: "1"']]);
});

it('names what a rule generates', async () => {
  const body = `${pods}\ngenerate: {apiVersion: v1, kind: ConfigMap, name: c, namespace: "{{ request.namespace }}", data: {data: {a: b}}}`;
  const tree = await treeOf(policyOf(rule('r', body)));
  expect(tree.at(-1)).toBe('  ✓ generates ConfigMap/shop/c');
});

it('explains why a loop has no elements', async () => {
  const body = `${pods}\nvalidate: {message: m, foreach: [{list: request.object.spec.nothing, deny: {}}]}`;
  const tree = await treeOf(policyOf(rule('r', body)));
  expect(tree[0]).toBe('– rule r: silent');
  expect(tree.join('\n')).toContain('foreach request.object.spec.nothing: ');
});

it('omits rules derived for other kinds unless they are requested', async () => {
  const explanation = await explain(
    policyOf(rule('r', `${pods}\nvalidate: {message: m, pattern: {spec: {hostPID: false}}}`)),
  );
  const lines = (isDetailed: boolean) => renderTree(explanationTree(explanation, isDetailed), painter(false));
  expect(lines(false)).not.toContain('autogen');
  expect(lines(true)).toContain('– rule autogen-r: no match');
});

it('shows a policy of expressions by its name alone, and its forms for controllers only in detail', async () => {
  const policy = `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations: [{expression: "object.metadata.name == 'web'"}]
`;
  const linesOf = async (isDetailed: boolean) =>
    renderTree(explanationTree(await explain(policy), isDetailed), painter(false))
      .trimEnd()
      .split('\n')
      .slice(1);
  expect(await linesOf(false)).toEqual([
    '  ✓ policy ValidatingPolicy/p: pass',
    expect.stringContaining('match.any[0]'),
    "    ✓ validations: object.metadata.name == 'web' = true",
    '      object.metadata.name = "web"',
    '    ✓ pass: success',
  ]);
  const detailed = await linesOf(true);
  expect(detailed).toContain('  – policy ValidatingPolicy/p: no match');
  expect(detailed.join('\n')).not.toContain('rule');
});
