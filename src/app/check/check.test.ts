import { describe, expect, it } from 'vitest';
import { customResourceDefinitions } from '../../api/index.ts';
import { createAuthority, issueCertificate, SupercargoError } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { configOf } from '../config.ts';
import { checkSecret } from './certificates.ts';
import { guarded, pass, someOf } from './check-line.ts';
import { compareDefinitions, compareServed } from './definitions.ts';
import { judgeLeases } from './leases.ts';
import { checkPermissions, expandRules, renderAccess } from './permissions.ts';
import { checkVersion } from './server-version.ts';
import type { Situation } from './situation.ts';

describe('the version of the API server', () => {
  it.each([
    ['v1.36.3', 'pass'],
    ['v1.28.0-gke.100', 'pass'],
    ['v1.27.16+k3s1', 'fail'],
    ['v2.0.0', 'fail'],
    ['v1.99.0', 'warn'],
    ['unknown', 'warn'],
  ])('%s is a %s', (version, result) => {
    expect(checkVersion(version, ['admission']).result).toBe(result);
  });

  it('must have ValidatingAdmissionPolicies for detection', () => {
    expect(checkVersion('v1.29.4', ['detect'])).toMatchObject({ result: 'warn' });
    expect(checkVersion('v1.30.0', ['detect'])).toMatchObject({ result: 'pass' });
  });
});

describe('a check', () => {
  const failing = (code: string) => guarded('x', () => Promise.reject(new SupercargoError(code, 'no')));

  it('warns where it may not read, fails otherwise, and ends where nothing answers', async () => {
    expect(await failing('kube-forbidden')).toMatchObject([{ check: 'x', result: 'warn' }]);
    expect(await failing('kube-server-error')).toMatchObject([{ check: 'x', result: 'fail', found: 'no' }]);
    await expect(failing('kube-unreachable')).rejects.toThrow('no');
    expect(await guarded('x', async () => [pass('x', 'good')])).toEqual([pass('x', 'good')]);
  });

  it('names a few of many', () => {
    expect(someOf(['a', 'b'])).toBe('a, b');
    expect(someOf(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d and 2 more');
  });
});

describe('permissions', () => {
  const rule = { apiGroups: ['kyverno.io'], resources: ['policies/status'], verbs: ['get', 'update'] };

  it('are asked for one by one, with subresource, name and namespace', () => {
    expect(expandRules([{ ...rule, resourceNames: ['a'] }], 'ns').map(renderAccess)).toEqual([
      'get policies.kyverno.io/status a in ns',
      'update policies.kyverno.io/status a in ns',
    ]);
    expect(expandRules([rule])[0]).toEqual({
      verb: 'get',
      group: 'kyverno.io',
      resource: 'policies',
      subresource: 'status',
    });
  });

  interface Review {
    readonly kind: string;
    readonly spec: { readonly user?: string; readonly resourceAttributes: Parameters<typeof renderAccess>[0] };
  }
  const situationOf = (allows: (review: Review) => boolean, over: object = {}) =>
    ({
      connection: {
        client: {
          config: { name: 'test' },
          raw: async (_: string, { post }: { readonly post: Review }) => ({
            value: { status: { allowed: allows(post) } },
          }),
        },
      },
      installation: 'x',
      namespace: 'ns',
      asInstalled: false,
      isInstalled: false,
      features: ['detect'],
      parts: [{ name: 'x-automation', features: ['detect'] }],
      config: configOf({}),
      ...over,
    }) as unknown as Situation;

  it('of an administrator take one review', async () => {
    let reviews = 0;
    const count = () => ++reviews > 0;
    expect(await checkPermissions(situationOf(count))).toMatchObject([{ result: 'pass' }]);
    expect(reviews).toBe(1);
  });

  it('of a user are those that the installation grants, and those to write it', async () => {
    const without = (text: string) =>
      checkPermissions(
        situationOf(
          ({ spec: { resourceAttributes: access } }) => access.verb !== '*' && !renderAccess(access).includes(text),
        ),
      );
    expect(await without('nothing')).toMatchObject([{ result: 'pass' }]);
    const [line] = await without('deployments.apps');
    expect(line).toMatchObject({ result: 'fail' });
    expect(line!.found).toContain('get deployments.apps in ns, create deployments.apps in ns');
    // Who may grant anything needs none of the permissions that are granted.
    expect(await without('imagedetecteds')).toMatchObject([{ result: 'pass' }]);
    const reader = await checkPermissions(
      situationOf(
        ({ spec: { resourceAttributes: access } }) =>
          !/^(?:\*|escalate|create imagedetecteds)/.test(renderAccess(access)),
      ),
    );
    expect(reader[0]).toMatchObject({ result: 'fail' });
    expect(reader[0]!.found).toMatch(/missing create imagedetecteds\.automation\.gitops\.io$/);
  });

  it('of a pod are those of its own account, whoever asks', async () => {
    const kinds = new Set<string>();
    const over = { isOwnPod: true, isInstalled: true };
    const situation = situationOf(({ kind, spec }) => {
      kinds.add(kind);
      return spec.resourceAttributes.resource !== 'events';
    }, over);
    for (const asInstalled of [false, true])
      expect(await checkPermissions({ ...situation, asInstalled })).toMatchObject([
        { check: 'permissions x-automation', result: 'fail', found: 'missing: create events, patch events' },
      ]);
    expect([...kinds]).toEqual(['SelfSubjectAccessReview']);
  });

  it('of a pod are not those that it has only where no other part has more features', async () => {
    const features = ['admission'] as const;
    const parts = [{ name: 'x-policies', features }];
    const ofOthers = ({ spec: { resourceAttributes: access } }: Review) => access.name?.includes('rewrite') !== true;
    const over = { isOwnPod: true, isInstalled: true, features, parts };
    expect(await checkPermissions(situationOf(ofOthers, over))).toMatchObject([{ result: 'pass' }]);
    const alone = { asInstalled: true, isInstalled: true, features, parts };
    expect(await checkPermissions(situationOf(ofOthers, alone))).toMatchObject([{ result: 'fail' }]);
  });

  it('to the Secret of a certificate that others write are those to watch it', async () => {
    const asked: string[] = [];
    const ask = ({ spec: { resourceAttributes: access } }: Review) => {
      if (access.resource === 'secrets') asked.push(renderAccess(access));
      return true;
    };
    const features = ['admission'] as const;
    const config = configOf({ webhook: { tls: { secretName: 'theirs' } } });
    const over = { isOwnPod: true, isInstalled: true, features, parts: [{ name: 'x-policies', features }], config };
    await checkPermissions(situationOf(ask, over));
    expect(asked.filter((access) => !access.includes('pull'))).toEqual([
      'list secrets theirs in ns',
      'watch secrets theirs in ns',
    ]);
  });

  it('of the installation are those of its accounts', async () => {
    const users = new Set<string | undefined>();
    const situation = situationOf(
      ({ kind, spec }) => {
        expect(kind).toBe('SubjectAccessReview');
        users.add(spec.user);
        return spec.resourceAttributes.resource !== 'events';
      },
      { asInstalled: true, isInstalled: true },
    );
    expect(await checkPermissions(situation)).toMatchObject([
      { check: 'permissions x-automation', result: 'fail', found: 'missing: create events, patch events' },
    ]);
    expect([...users]).toEqual(['system:serviceaccount:ns:x-automation']);
  });
});

describe('definitions', () => {
  const own = customResourceDefinitions('x');
  const established = { conditions: [{ type: 'Established', status: 'True' }] };
  const live = own.map((one) => ({ ...structuredClone(one), status: established }) as KubeObject);
  const place = { installation: 'x', isInstalled: true };
  const dropField = (owner: string) => {
    const [first, ...rest] = structuredClone(live);
    const { versions } = first!['spec'] as {
      readonly versions: {
        readonly schema: { readonly openAPIV3Schema: { readonly properties: Record<string, unknown> } };
      }[];
    };
    delete versions[0]!.schema.openAPIV3Schema.properties['spec'];
    return [{ ...first!, metadata: { ...first!.metadata, labels: { 'supercargo.dev/owner': owner } } }, ...rest];
  };

  it('are those of this release, or each difference is named', () => {
    expect(compareDefinitions(own, live, place)).toMatchObject([{ result: 'pass' }]);
    const [line] = compareDefinitions(own, dropField('x'), place);
    expect(line).toMatchObject({ result: 'fail', found: expect.stringMatching(/ lacks v\w+ spec$/) });
    expect(compareDefinitions(own, dropField('y'), place)).toMatchObject([{ result: 'warn' }]);
  });

  it('are missing only after the installation', () => {
    expect(compareDefinitions(own, live.slice(1), place)).toMatchObject([{ result: 'fail' }]);
    expect(compareDefinitions(own, [], { ...place, isInstalled: false })).toMatchObject([{ result: 'pass' }]);
    const pending = live.map((one, i) => (i === 0 ? { ...one, status: { conditions: null } } : one));
    expect(compareDefinitions(own, pending, place)).toMatchObject([
      { result: 'fail', found: expect.stringContaining('not served') },
    ]);
  });
});

describe('the definitions that only discovery shows', () => {
  const own = customResourceDefinitions('x');
  const served = own.flatMap((definition) => {
    const { group, names, versions } = definition['spec'] as {
      readonly group: string;
      readonly names: { readonly kind: string };
      readonly versions: readonly { readonly name: string }[];
    };
    return versions.map(({ name }) => `${group}/${name}/${names.kind}`);
  });

  it('are served, or named', () => {
    expect(compareServed(own, new Set(served))).toMatchObject({ result: 'pass' });
    expect(compareServed(own, new Set(served.slice(1)))).toMatchObject({
      result: 'fail',
      found: expect.stringMatching(/^not served: v\w+ of \S+$/),
    });
  });
});

describe('a certificate', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  const dayMs = 24 * 60 * 60 * 1_000;
  const authority = createAuthority({ commonName: 'a', now, validDays: 365 });
  const other = createAuthority({ commonName: 'b', now, validDays: 365 });
  const serving = issueCertificate(authority, {
    commonName: 'w',
    hosts: ['w.ns.svc'],
    usage: 'server',
    now,
    validDays: 90,
  });
  const encode = (text: string) => Buffer.from(text).toString('base64');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'w' },
    data: { 'tls.crt': encode(serving.certPem), 'ca.crt': encode(authority.certPem) },
  };
  const resultAt = (days: number, bundles = [authority.certPem]) =>
    checkSecret('w', secret, bundles, now + days * dayMs).result;

  it('passes until it should long have been renewed', () => {
    expect(checkSecret('w', secret, [], now)).toMatchObject({
      result: 'pass',
      found: 'valid until 2030-04-01, its authority until 2031-01-01',
    });
    expect([60, 85, 91].map((days) => resultAt(days))).toEqual(['pass', 'warn', 'fail']);
  });

  it('fails where the API server does not trust it, or where there is none', () => {
    expect(resultAt(0, [other.certPem + authority.certPem])).toBe('pass');
    expect(resultAt(0, [authority.certPem, other.certPem])).toBe('fail');
    expect(checkSecret('w', undefined, [], now).result).toBe('fail');
    expect(checkSecret('w', { ...secret, data: {} } as KubeObject, [], now).found).toContain('no certificate');
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const unreadable = { ...secret, data: { 'tls.crt': encode(broken) } } as KubeObject;
    expect(checkSecret('w', unreadable, [], now).found).toBe('the certificate cannot be read');
  });
});

describe('leases', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  const lease = (name: string, renewTime: string, holderIdentity = 'pod-1_uid_x') => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name },
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  });
  const judge = (...items: readonly KubeObject[]) =>
    judgeLeases(items, { installation: 'x', features: configOf({ features: ['admission', 'report'] }).features }, now);

  it('are held, or their features are named', () => {
    const fresh = '2029-12-31T23:59:50.000000Z';
    expect(judge(lease('x-admission', fresh), lease('y-report', fresh))).toEqual(
      pass('leases', 'held: admission by pod-1'),
    );
    expect(judge(lease('x-admission', fresh), lease('x-report', '2029-12-31T23:59:44Z')).found).toBe(
      'nobody leads report',
    );
    expect(judge(lease('x-admission', fresh, '')).result).toBe('fail');
    expect(judge().result).toBe('fail');
  });
});
