import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateDnsSubdomain } from '../object/index.ts';
import { maxNameLength, type ReportIdentity, reportName } from './names.ts';

const cluster = (name: string) => ({ kind: 'ClusterPolicy', name }) as const;
const namespaced = (name: string) => ({ kind: 'Policy', name }) as const;

describe('the name of a report', () => {
  it('is namespace and policy, as users of split reports know it', () => {
    expect(reportName({ namespace: 'default', policy: cluster('disallow-privileged-containers') })).toBe(
      'polr-ns-default-disallow-privileged-containers',
    );
    expect(reportName({ namespace: '', policy: cluster('require-ns-dev-labels') })).toBe(
      'clusterpolicyreport-require-ns-dev-labels',
    );
  });

  it('is the namespace alone when reports are not split', () => {
    expect(reportName({ namespace: 'shop' })).toBe('polr-ns-shop');
    expect(reportName({ namespace: '' })).toBe('clusterpolicyreport');
  });

  it('distinguishes a Policy from a ClusterPolicy of the same name', () => {
    const policy = reportName({ namespace: 'shop', policy: namespaced('foo') });
    expect(policy).toBe('polr-ns-shop-foo.sc-p');
    expect(policy).not.toBe(reportName({ namespace: 'shop', policy: cluster('foo') }));
    expect(policy).not.toBe(reportName({ namespace: 'shop', policy: cluster('foo.sc-p') }));
  });

  it('distinguishes a second part from a policy with the same name', () => {
    const part = reportName({ namespace: 'shop', policy: cluster('foo'), chunk: '10' });
    expect(part).toBe('polr-ns-shop-foo.sc-c10');
    expect(part).not.toBe(reportName({ namespace: 'shop', policy: cluster('foo.sc-c10') }));
    expect(reportName({ namespace: 'shop', policy: cluster('foo-2') })).toBe('polr-ns-shop-foo-2');
  });

  it('differs for long names that differ at the end only', () => {
    const long = 'a'.repeat(249);
    const one = reportName({ namespace: 'shop', policy: cluster(`${long}x`) });
    const two = reportName({ namespace: 'shop', policy: cluster(`${long}y`) });
    expect(one).not.toBe(two);
    expect(one.length).toBeLessThanOrEqual(maxNameLength);
  });

  const label = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,9}[a-z0-9])?$/);
  const tricky = fc.constantFrom('foo', 'foo-2', 'foo.sc-p', 'foo.sc-c1', 'foo.sc-c10', 'foo.sc-h0', 'sc-p');
  const policyName = fc.oneof(
    tricky,
    fc.array(label, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.')),
    fc
      .tuple(fc.integer({ min: 200, max: 248 }), label)
      .map(([length, end]) => `${'b'.repeat(length)}${end}`.slice(0, 253)),
  );
  const identity: fc.Arbitrary<ReportIdentity> = fc.record({
    namespace: fc.oneof(fc.constant(''), fc.constantFrom('a', 'a-b', 'n'.repeat(63))),
    policy: fc.option(
      fc.record({ kind: fc.constantFrom('ClusterPolicy' as const, 'Policy' as const), name: policyName }),
      { nil: undefined },
    ),
    chunk: fc.constantFrom('', '0', '1', '10', '0'.repeat(64)),
  });

  it('is valid, and unique for every identity', () => {
    fc.assert(
      fc.property(fc.array(identity, { minLength: 2, maxLength: 20 }), (identities) => {
        const seen = new Map<string, string>();
        for (const one of identities) {
          const name = reportName(one);
          expect(validateDnsSubdomain(name)).toEqual([]);
          expect(name.length).toBeLessThanOrEqual(maxNameLength);
          // Reports of different namespaces may share a name.
          const place = `${one.namespace}/${name}`;
          const text = JSON.stringify([one.namespace, one.policy?.kind, one.policy?.name, one.chunk]);
          expect(seen.get(place) ?? text).toBe(text);
          seen.set(place, text);
        }
      }),
      { numRuns: 500 },
    );
  });
});
