import { expect, it } from 'vitest';
import { KubeError, type ListOptions, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Viewer } from './access.ts';
import { createExplain, type ExplainRule, type ExplainSubject } from './explain.ts';
import { Query } from './query.ts';
import { seesAll, Visibility } from './visibility.ts';

const { signal } = new AbortController();
const typeOf = (resource: string, kind: string, namespaced = true): ResourceType => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced,
});
const types = [typeOf('pods', 'Pod'), typeOf('secrets', 'Secret'), typeOf('nodes', 'Node', false)];
const objectOf = (kind: string, name: string, namespace?: string): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
});
const stored: Readonly<Record<string, KubeObject>> = {
  'pods shop/web': objectOf('Pod', 'web', 'shop'),
  'pods bank/web': objectOf('Pod', 'web', 'bank'),
  'secrets shop/key': objectOf('Secret', 'key', 'shop'),
  'nodes one': objectOf('Node', 'one'),
  'namespaces shop': objectOf('Namespace', 'shop'),
  'clusterpolicies p': { ...objectOf('ClusterPolicy', 'p'), apiVersion: 'kyverno.io/v1' },
  'policies bank/p': { ...objectOf('Policy', 'p', 'bank'), apiVersion: 'kyverno.io/v1' },
};
const explained = { result: 'fail', message: 'm', tree: { label: 'l', status: 'fail', children: [] } } as const;

interface Given {
  /** What the user may get. */
  readonly allowed?: readonly string[];
  readonly sees?: Visibility;
  readonly forbidden?: readonly string[];
  readonly explainRule?: ExplainRule;
  readonly deadlineMs?: number;
}

function open({
  allowed,
  sees = seesAll,
  forbidden = [],
  explainRule = async () => explained,
  deadlineMs,
}: Given = {}) {
  const read: string[] = [];
  const list = async ({ resource }: ResourceType, { namespace, fieldSelector }: ListOptions = {}) => {
    const name = fieldSelector?.replace('metadata.name=', '');
    const key = `${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
    read.push(key);
    if (forbidden.includes(resource)) throw new KubeError('kube-forbidden', 'no', { method: 'GET', path: '/' });
    if (resource === 'policyexceptions') return { items: exceptions, resourceVersion: '1' };
    return { items: stored[key] ? [stored[key]] : [], resourceVersion: '1' };
  };
  const explain = createExplain({
    client: { list } as never,
    discovery: { byKind: async (wanted: { kind: string }) => types.find(({ kind }) => kind === wanted.kind) } as never,
    explainRule,
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const viewer = (user: string): Viewer => ({
    user,
    method: 'token',
    sees,
    mayGet: async ({ resource, namespace, name }) =>
      allowed?.includes(`${resource} ${namespace === undefined ? '' : `${namespace}/`}${name}`) ?? true,
  });
  const ask = async (more: Readonly<Record<string, string>> = {}, user = 'ann') => {
    const asked = { policy: 'p', rule: 'r', apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web', ...more };
    return explain(new Query(new URLSearchParams(asked)), viewer(user), signal);
  };
  return { ask, read };
}

const exceptions: readonly KubeObject[] = ['p', 'bank/p', 'other'].map((policyName) => ({
  ...objectOf('PolicyException', policyName.replace('/', '-'), 'x'),
  spec: { exceptions: [{ policyName, ruleNames: ['*'] }] },
}));
const only = (namespace: string) => new Visibility(new Set(), new Map([['policyreports', new Set([namespace])]]));

it('evaluates the policy on the object, with its namespace and the exceptions that name the policy', async () => {
  const subjects: ExplainSubject[] = [];
  const explainRule: ExplainRule = async (subject) => {
    subjects.push(subject);
    return explained;
  };
  const { ask } = open({ explainRule });
  expect(await ask()).toEqual({ policy: 'p', rule: 'r', ...explained });
  await ask({ policy: 'bank/p', namespace: 'bank' });
  const named = subjects.map(({ policy, object, namespace, exceptions: found = [] }) => [
    policy.kind,
    object.metadata.namespace,
    namespace?.metadata.name,
    ...found.map(({ metadata }) => metadata.name),
  ]);
  expect(named).toEqual([
    ['ClusterPolicy', 'shop', 'shop', 'p'],
    ['Policy', 'bank', undefined, 'bank-p'],
  ]);
});

it('considers only exceptions of namespaces whose results the user sees: the explanation names them', async () => {
  const subjects: ExplainSubject[] = [];
  const explainRule: ExplainRule = async (subject) => {
    subjects.push(subject);
    return explained;
  };
  const shopAnd = (...more: readonly string[]) =>
    new Visibility(new Set(), new Map([['policyreports', new Set(['shop', ...more])]]));
  await open({ explainRule, sees: shopAnd() }).ask();
  await open({ explainRule, sees: shopAnd('x') }).ask();
  await open({ explainRule }).ask();
  expect(subjects.map(({ exceptions: found, exceptionsAreSome }) => [found?.length, exceptionsAreSome])).toEqual([
    [0, true],
    [1, true],
    [1, false],
  ]);
});

it('reads nothing of a namespace whose results the user does not see', async () => {
  const { ask, read } = open({ sees: only('shop') });
  expect(await ask({ namespace: 'bank' })).toBeUndefined();
  expect(await ask({ kind: 'Node', namespace: '', name: 'one' })).toBeUndefined();
  expect(read).toEqual([]);
  expect(await ask()).toMatchObject({ result: 'fail' });
});

it('reads no object and no policy that the user may not get', async () => {
  const noObject = open({ allowed: ['clusterpolicies p'] });
  await expect(noObject.ask()).rejects.toMatchObject({ code: 'forbidden', message: 'you may not get pods shop/web' });
  expect(noObject.read).toEqual([]);
  const noPolicy = open({ allowed: ['pods shop/web'] });
  await expect(noPolicy.ask()).rejects.toMatchObject({ message: 'you may not get clusterpolicies p' });
  expect(noPolicy.read).toEqual(['pods shop/web']);
});

it('explains no Secret to anybody', async () => {
  const { ask, read } = open();
  expect(await ask({ kind: 'Secret', name: 'key' })).toBeUndefined();
  expect(read).toEqual([]);
});

it('says what the dashboard itself may not list', async () => {
  await expect(open({ forbidden: ['pods'] }).ask()).rejects.toMatchObject({
    code: 'forbidden',
    message: 'the dashboard may not list pods',
  });
  let subject: ExplainSubject | undefined;
  const explainRule: ExplainRule = async (given) => {
    subject = given;
    return explained;
  };
  await open({ forbidden: ['policyexceptions', 'namespaces'], explainRule }).ask();
  expect([subject?.exceptions, subject?.namespace]).toEqual([undefined, undefined]);
});

it('takes names as names, and policies by the names of results', async () => {
  const { ask, read } = open();
  const missing = [
    { name: 'web,metadata.namespace=bank' },
    { name: '../web' },
    { namespace: 'shop/../bank' },
    { kind: 'Node', name: 'one' },
    { kind: 'Pod', namespace: '' },
    { kind: 'Nothing' },
    { policy: 'a/b/c' },
    { policy: 'p/' },
    { policy: 'ValidatingPolicy/a/b' },
    { policy: 'NamespacedValidatingPolicy/a' },
  ];
  for (const one of missing) expect(await ask(one)).toBeUndefined();
  expect(read).toEqual([]);
  await ask({ policy: 'NamespacedValidatingPolicy/shop/v' });
  await ask({ policy: 'ValidatingPolicy/v' });
  expect(read.filter((one) => one.includes('validating'))).toEqual([
    'namespacedvalidatingpolicies shop/v',
    'validatingpolicies v',
  ]);
  await expect(ask({ name: '' })).rejects.toThrow('name is missing');
});

it('explains one result of a user at a time, and refuses too many', async () => {
  let active = 0;
  let most = 0;
  const waiting: (() => void)[] = [];
  const explainRule: ExplainRule = async () => {
    most = Math.max(most, ++active);
    await new Promise<void>((resolve) => waiting.push(resolve));
    active--;
    return explained;
  };
  const { ask } = open({ explainRule, deadlineMs: 60_000 });
  const asked = Array.from({ length: 4 }, () => ask());
  await expect(ask()).rejects.toMatchObject({ code: 'too-many' });
  const others = ['b', 'c', 'd'].map((user) => ask({}, user));
  await expect(ask({}, 'e')).rejects.toMatchObject({ code: 'too-many' });
  await expect.poll(() => waiting.length).toBe(4);
  expect(most).toBe(4);
  for (let i = 0; i < 7; i++) {
    await expect.poll(() => waiting.length).toBeGreaterThan(0);
    waiting.shift()!();
  }
  await Promise.all([...asked, ...others]);
  expect(most).toBe(4);
  const again = ask({}, 'e');
  await expect.poll(() => waiting.length).toBe(1);
  waiting.shift()!();
  expect(await again).toMatchObject({ result: 'fail' });
});

it('ends at its deadline', async () => {
  const explainRule: ExplainRule = (_, until) =>
    new Promise((resolve) => until.addEventListener('abort', () => resolve(explained)));
  await expect(open({ explainRule, deadlineMs: 1 }).ask()).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the explanation takes too long',
  });
});
