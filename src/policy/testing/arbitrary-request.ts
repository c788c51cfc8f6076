import fc from 'fast-check';
import type { PolicyRequest } from '../index.ts';
import { asParsed, valueMaps, values } from './arbitrary-values.ts';

const images = fc.constantFrom('nginx', 'nginx:latest', 'ghcr.io/a/b@sha256:bad', '', ' ', 'UPPER/x:1');
const container = fc.record(
  {
    name: fc.constantFrom('a', 'b', ''),
    image: fc.oneof(images, values),
    securityContext: fc.oneof(
      values,
      fc.record({
        privileged: fc.oneof(fc.boolean(), values),
        capabilities: fc.record({ add: fc.array(fc.constantFrom('ALL', 'CHOWN')) }),
      }),
    ),
    ports: fc.array(fc.record({ hostPort: values })),
  },
  { requiredKeys: ['name', 'image'] },
);
const podSpec = fc.oneof(
  fc.record(
    {
      containers: fc.array(container, { maxLength: 3 }),
      initContainers: fc.array(container, { maxLength: 1 }),
      hostNetwork: fc.oneof(fc.boolean(), values),
      volumes: fc.array(fc.record({ name: fc.constant('v'), hostPath: values }), { maxLength: 1 }),
      securityContext: values,
      os: fc.constantFrom({ name: 'windows' }, { name: 'linux' }, null),
    },
    { requiredKeys: ['containers'] },
  ),
  valueMaps,
);

const metadata = fc.record(
  {
    name: fc.constantFrom('web', 'a-1', '__proto__'),
    namespace: fc.constantFrom('default', 'team-a'),
    labels: fc.dictionary(fc.constantFrom('app', 'tier'), fc.constantFrom('web', '')),
    annotations: fc.dictionary(fc.constantFrom('a', 'b1'), fc.constantFrom('x', '')),
    generation: fc.nat(3),
  },
  { requiredKeys: ['name', 'namespace'] },
);

const object = fc.oneof(
  fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('Pod'), metadata, spec: podSpec }),
  fc.record({
    apiVersion: fc.constant('apps/v1'),
    kind: fc.constant('Deployment'),
    metadata,
    spec: fc.record({ template: fc.record({ spec: podSpec }) }),
  }),
  fc.record({ apiVersion: fc.constant('batch/v1'), kind: fc.constant('CronJob'), metadata, spec: values }),
  fc.record({ apiVersion: fc.constant('v1'), kind: fc.constant('ConfigMap'), metadata, data: valueMaps }),
);

const info = fc.constantFrom(undefined, {
  userInfo: { username: 'system:serviceaccount:team-a:robot', groups: ['system:authenticated'] },
  roles: [],
  clusterRoles: ['admin'],
});

/** Requests on objects that an API server might let through, and on some that none would. */
export const requests: fc.Arbitrary<PolicyRequest> = fc
  .record({ object, old: object, operation: fc.constantFrom('CREATE', 'UPDATE', 'DELETE'), info, uid: fc.uuid() })
  .map(({ object: current, old, operation, info: user, uid }) => {
    const [group = '', version = group] = current.apiVersion.includes('/') ? current.apiVersion.split('/') : ['', 'v1'];
    const request = {
      operation,
      kind: { group, version, kind: current.kind },
      subresource: '',
      object: operation === 'DELETE' ? undefined : current,
      oldObject: operation === 'CREATE' ? undefined : { ...old, kind: current.kind, apiVersion: current.apiVersion },
      namespaceLabels: { team: 'a' },
      info: user,
      uid,
      now: Date.parse('2026-03-01T12:00:00Z'),
    };
    return asParsed(request) as PolicyRequest;
  });
