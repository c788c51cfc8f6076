import { expect, it } from 'vitest';
import { KubeError, type KubeErrorCode } from '../kube/index.ts';
import { createPullSecretProblem } from './copy-pull-secret.ts';
import { signal } from './testing/fakes.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const auths = (...keys: readonly string[]) =>
  base64(JSON.stringify({ auths: Object.fromEntries(keys.map((key) => [key, { auth: base64('robot:word-4711') }])) }));
const docker = (...keys: readonly string[]) => ({
  type: 'kubernetes.io/dockerconfigjson',
  data: { '.dockerconfigjson': auths(...keys) },
});

const problemOf = (found: object | KubeErrorCode) => {
  const get = async () => {
    if (typeof found === 'string') throw new KubeError(found, found, { method: 'GET', path: '/' });
    return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'pull', namespace: 'shop' }, ...found } as never;
  };
  return createPullSecretProblem('pull', { registry: 'backup.example', prefix: 'copies' }, { get })!('shop', signal);
};

it.each([
  docker('backup.example'),
  docker('other.example', 'https://backup.example/v1/'),
  docker('backup.example/copies'),
])('a Secret with credentials for the backup registry is none', async (secret) =>
  expect(await problemOf(secret)).toBeUndefined(),
);

it.each([
  ['kube-not-found' as const, 'namespace shop has no Secret pull'],
  ['kube-forbidden' as const, 'may not be read'],
  [{ type: 'Opaque', data: {} }, 'is no pull secret: its type is Opaque'],
  [docker('other.example'), 'has no credentials for backup.example'],
  [docker('backup.example/team'), 'has no credentials for backup.example'],
  [{ ...docker(), data: {} }, 'has no .dockerconfigjson'],
  [{ ...docker(), data: { '.dockerconfigjson': base64('{') } }, 'cannot be used'],
])('a Secret that pods cannot pull with is one: %#', async (found, problem) => {
  const problemText = await problemOf(found);
  expect(problemText).toContain(problem);
  expect(problemText).not.toContain('4711');
});

it('is not checked where no secret is configured', () => {
  expect(
    createPullSecretProblem(undefined, { registry: 'backup.example', prefix: '' }, { get: async () => ({}) as never }),
  ).toBe(undefined);
});
