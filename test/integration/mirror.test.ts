import { afterAll, describe, expect, it } from 'vitest';
import { ownerLabel } from '../../src/api/index.ts';
import type { FeatureName } from '../../src/app/config.ts';
import { clusterRules, namespaceRules, pullSecretRules } from '../../src/app/install-rbac.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { defineMirrorScenario } from './mirror-scenario.ts';
import { allows, idleVerbs, type RecordedRequest, recording } from './permissions.ts';

const namespace = 'supercargo-system';
const webhookSecret = 'supercargo-all-webhook';
const programs: { readonly features: readonly FeatureName[]; readonly requests: RecordedRequest[] }[] = [];

describe('the clone of images on the embedded cluster', () => {
  defineMirrorScenario(
    () => startEmbedded(),
    async (connection, { features }) => {
      const secrets = await connection.discovery.byKind('v1/Secret');
      // As the installation brings it.
      const metadata = { name: webhookSecret, namespace, labels: { [ownerLabel]: 'supercargo' } };
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque' };
      await connection.client.apply(secrets!, secret, { fieldManager: 'test' });
      const requests: RecordedRequest[] = [];
      programs.push({ features, requests });
      return { ...connection, client: recording(connection.client, requests) };
    },
  );

  describe('has in the role of an installation', () => {
    const rulesOf = (features: readonly FeatureName[]) => ({
      own: namespaceRules('supercargo', features, { secret: webhookSecret }),
      everywhere: [...clusterRules('supercargo', features), ...(features.includes('mirror') ? pullSecretRules : [])],
    });

    /** Rights that other suites show: who leads, a certificate's rotation, an event that repeats, a new namespace. */
    const elsewhere: ReadonlySet<string> = new Set([
      ...['create', 'get', 'list', 'update'].map((verb) => `${verb} leases.coordination.k8s.io`),
      'get secrets.',
      'update secrets.',
      'patch events.',
      'get namespaces.',
      // What a program with more features has registered before.
      ...['mutating', 'validating'].map((type) => `delete ${type}webhookconfigurations.admissionregistration.k8s.io`),
    ]);

    it('every right that it used', () => {
      for (const { features, requests } of programs) {
        const { own, everywhere } = rulesOf(features);
        const isAllowed = (request: RecordedRequest) =>
          everywhere.some((rule) => allows(rule, request)) ||
          (request.namespace === namespace && own.some((rule) => allows(rule, request)));
        expect(requests.filter((request) => !isAllowed(request))).toEqual([]);
      }
    });

    it('no right that it never used', () => {
      const requests = programs.flatMap((program) => (program.features.includes('admission') ? [] : program.requests));
      const { own, everywhere } = rulesOf(['mirror']);
      expect(requests.length).toBeGreaterThan(100);
      expect(idleVerbs([...own, ...everywhere], requests).filter((right) => !elsewhere.has(right))).toEqual([]);
    });
  });
});

afterAll(() => programs.splice(0));
