/** Every object that the chart can render, checked field by field by a real API server. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { helmPath, kubectlPath, runTool } from '../support/kubectl.ts';
import { type RealCluster, startRealCluster } from '../support/real-cluster.ts';
import { missingOf } from '../support/skip.ts';

const folder = fileURLToPath(new URL('../../charts/supercargo', import.meta.url));
const [helm, kubectl] = await Promise.all([helmPath(), kubectlPath()]);
const missing = missingOf('the chart', { helm, kubectl });

const values = {
  nameOverride: 'images',
  features: ['admission', 'generate', 'report', 'cleanup', 'detect', 'create', 'mirror', 'sync', 'jobs', 'dashboard'],
  webhook: { apiServerCidrs: ['10.0.0.0/8'] },
  mirror: { registry: 'registry.example/copies', namespaces: ['ns'] },
  dashboard: {
    tls: { existingSecret: 'page-tls' },
    service: { type: 'LoadBalancer', port: 8443, annotations: { 'example.com/a': 'b' } },
    ingress: { enabled: true, className: 'public', hosts: ['images.example.com', '*.images.example.com'] },
  },
  metrics: { grafana: { enabled: true } },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
};

describe.skipIf(missing !== undefined)('the chart', () => {
  let cluster: RealCluster;
  beforeAll(async () => {
    cluster = await startRealCluster();
  });
  afterAll(() => cluster?.stop());

  const run = (args: readonly string[], input?: string) =>
    runTool(kubectl!, ['--kubeconfig', cluster.kubeconfigPath, ...args], input);
  const check = (manifests: string) =>
    run(['apply', '--dry-run=server', '--validate=strict', '-n', 'ns', '-f', '-'], manifests);

  it('renders only objects and fields that the API server knows', async () => {
    expect((await run(['create', 'namespace', 'ns'])).exitCode).toBe(0);
    const { stdout } = await runTool(
      helm!,
      ['template', 'x', folder, '--namespace', 'ns', '--values', '-'],
      JSON.stringify(values),
    );
    const { exitCode, stderr, stdout: told } = await check(stdout);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    for (const object of ['ingress.networking.k8s.io/x-images-dashboard', 'deployment.apps/x-images-policies'])
      expect(told).toContain(`${object} created (server dry run)`);
    const broken = await check(stdout.replaceAll('pathType: Prefix', 'pathTypes: Prefix'));
    expect(broken.stderr).toContain('unknown field "spec.rules[0].http.paths[0].pathTypes"');
  });
});
