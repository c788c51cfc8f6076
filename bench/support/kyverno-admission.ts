import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYamlDocuments } from '../../src/base/index.ts';
import { freePorts } from '../../test/support/child.ts';
import type { RealCluster } from '../../test/support/real-cluster.ts';
import { eventually } from '../../test/support/wait.ts';
import { type AdmissionProcess, createPolicies, processOf, registeredCa } from './admission-program.ts';
import { Load } from './load.ts';

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

interface Deployment extends Manifest {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

const paths: Readonly<Record<string, string>> = {
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  Namespace: '/api/v1/namespaces',
  ConfigMap: '/api/v1/namespaces/kyverno/configmaps',
};
const startTimeoutMs = 300_000;

/**
 * Kyverno's admission controller outside a pod, with the arguments and the configuration of its published manifest, and
 * what differs for a process on loopback. It writes no admission reports: the program that it is compared with does not
 * either.
 */
export async function startKyvernoAdmission(
  binary: string,
  manifest: string,
  cluster: RealCluster,
): Promise<AdmissionProcess> {
  const documents = parseYamlDocuments(readFileSync(manifest, 'utf8'));
  const manifests = documents.map(({ value }) => value as unknown as Manifest);
  const load = new Load(cluster, 4);
  try {
    for (const [kind, path] of Object.entries(paths)) {
      const objects = manifests.filter((object) => object.kind === kind);
      await load.create(
        path,
        objects.map((object) => JSON.stringify(object)),
        1,
      );
    }
    await createPolicies(load);
    const [port, metricsPort] = (await freePorts(2)) as [number, number];
    const { args, env } = controllerOf(manifests);
    const log = join(cluster.directory, 'kyverno.log');
    const output = openSync(log, 'a');
    const child = spawn(binary, [...args, ...outsideOfAPod(cluster, port, metricsPort)], {
      stdio: ['ignore', output, output],
      env: {
        PATH: process.env['PATH'],
        HOME: cluster.directory,
        TMPDIR: cluster.directory,
        ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
        KYVERNO_NAMESPACE: 'kyverno',
        KYVERNO_POD_NAME: 'kyverno-admission-controller-0',
        TUF_ROOT: join(cluster.directory, 'sigstore'),
      },
    });
    closeSync(output);
    const program = processOf(child);
    try {
      const ca = await eventually(
        async () => {
          if (child.exitCode !== null) return { ended: true } as const;
          const found = await registeredCa(load);
          if (found === undefined) throw new Error('Kyverno has not registered its webhooks');
          return { ended: false, found } as const;
        },
        { timeoutMs: startTimeoutMs, intervalMs: 200 },
      );
      if (ca.ended) throw new Error('Kyverno ended');
      return { ...program, port, ca: ca.found };
    } catch (cause) {
      await program.stop();
      throw new Error(`Kyverno does not serve: ${readFileSync(log, 'utf8').slice(-3000)}`, { cause });
    }
  } finally {
    await load.close();
  }
}

function controllerOf(manifests: readonly Manifest[]): Container {
  const found = manifests.find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'kyverno-admission-controller',
  );
  if (found === undefined) throw new Error('the manifest has no admission controller');
  return (found as Deployment).spec.template.spec.containers[0];
}

/** The last of several arguments counts. */
const outsideOfAPod = (cluster: RealCluster, port: number, metricsPort: number): readonly string[] => [
  `--kubeconfig=${cluster.kubeconfigPath}`,
  `--serverIP=127.0.0.1:${port}`,
  '--webhookServerHost=127.0.0.1',
  `--webhookServerPort=${port}`,
  '--metricsHost=127.0.0.1',
  `--metricsPort=${metricsPort}`,
  '--controllerRuntimeMetricsAddress=0',
  '--admissionReports=false',
];
