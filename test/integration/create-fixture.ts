import {
  type ImageDetected,
  type ImageResourcePolicy,
  imageResourcePolicies,
  imagesDetected,
  type ResourceTemplate,
  resourceTemplates,
} from '../../src/api/index.ts';
import type { Connection } from '../../src/app/connect.ts';
import { parseYamlDocuments, rfc3339 } from '../../src/base/index.ts';
import { findCondition, gvkOf, type KubeObject } from '../../src/object/index.ts';
import { filesOf, type GitTarget } from '../support/git-targets.ts';
import { namespaces } from './connection.ts';

const apiVersion = 'automation.gitops.io/v1beta1';
const secrets = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };

/** A Deployment for each environment. */
export const deploymentTemplate = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .ServiceName }}{{ with .TagPrefix }}-{{ . }}{{ end }}
  namespace: {{ .Namespace | default "default" }}
spec:
  replicas: 1
  selector:
    matchLabels: { app: {{ .ServiceName }}, env: "{{ .TagPrefix }}" }
  template:
    metadata:
      labels: { app: {{ .ServiceName }}, env: "{{ .TagPrefix }}", version: {{ .ImageTag | quote }} }
    spec:
      containers:
        - name: {{ .ServiceName }}
          image: {{ .FullImageName }}
`;

function secretObject(metadata: KubeObject['metadata'], data: Readonly<Record<string, string>>): KubeObject {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) };
}

/** Operations of the create scenarios on a cluster. */
export function createCreateFixture({ client, discovery }: Connection, namespace: string) {
  const metadata = (name: string, annotations?: Readonly<Record<string, string>>) => ({
    name,
    namespace,
    ...(annotations ? { annotations } : {}),
  });
  return {
    async openNamespace(name = namespace) {
      await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    },
    async secret(name: string, data: Readonly<Record<string, string>>) {
      await client.create(secrets, secretObject(metadata(name), data));
    },
    async replaceSecret(name: string, data: Readonly<Record<string, string>>) {
      await client.replace(secrets, secretObject(metadata(name), data));
    },
    template: (name: string, spec: ResourceTemplate['spec']) =>
      client.create<ResourceTemplate>(resourceTemplates, {
        apiVersion,
        kind: 'ResourceTemplate',
        metadata: metadata(name),
        // The fixture writes detections by itself, beside policies that scan nothing.
        spec: { allowExternalDetections: true, ...spec },
      }),
    policy: (name: string, spec: Partial<ImageResourcePolicy['spec']>) =>
      client.create<ImageResourcePolicy>(imageResourcePolicies, {
        apiVersion,
        kind: 'ImageResourcePolicy',
        metadata: metadata(name),
        spec: {
          ...(spec.ecrRepository ? {} : { ociRepository: { registry: '127.0.0.1:1', repositoryPattern: 'none/*' } }),
          policy: { alphabetical: {} },
          templateRef: { name },
          suspend: true,
          interval: '1s',
          ...spec,
        },
      }),
    /** A detection as detection would write it down. */
    detection: (
      image: string,
      options: { readonly policy: string; readonly prefix?: string; readonly name?: string },
    ) => {
      const [repository = '', tag = ''] = [
        image.slice(0, image.lastIndexOf(':')),
        image.slice(image.lastIndexOf(':') + 1),
      ];
      const path = repository.slice(repository.indexOf('/') + 1);
      return client.create<ImageDetected>(imagesDetected, {
        apiVersion,
        kind: 'ImageDetected',
        metadata: metadata(options.name ?? `${path.replaceAll('/', '-')}-${tag.replaceAll(/[^a-z0-9]/g, '-')}`),
        spec: {
          imageName: path.replaceAll('/', '-'),
          imageTag: tag,
          imageDigest: `sha256:${'0'.repeat(64)}`,
          fullImageName: image,
          ...(options.prefix === undefined ? {} : { tagPrefix: options.prefix }),
          sourcePolicy: { name: options.policy, namespace },
          detectedAt: rfc3339(Date.now()),
          ttlDays: 7,
        },
      });
    },
    async detections(): Promise<readonly ImageDetected[]> {
      return (await client.list<ImageDetected>(imagesDetected, { namespace })).items;
    },
    async statusOf(name: string): Promise<NonNullable<ImageDetected['status']>> {
      return (await client.get<ImageDetected>(imagesDetected, { name, namespace })).status ?? {};
    },
    /** `Failed: InvalidTemplate: why`. */
    async resultOf(name: string): Promise<string> {
      const { phase, conditions } = await this.statusOf(name);
      const ready = findCondition(conditions, 'Ready');
      return `${phase}: ${ready?.reason}: ${ready?.message}`;
    },
    /** Applies what is in the branch, as Flux or Argo CD would. */
    async applyBranch({ repository }: Pick<GitTarget, 'repository'>) {
      for (const [file, text] of Object.entries(filesOf(repository)))
        for (const { value } of parseYamlDocuments(text, { file })) {
          const object = value as unknown as KubeObject;
          const type = await discovery.byKind(gvkOf(object));
          await client.apply(type!, object, { fieldManager: 'gitops', force: true });
        }
    },
  };
}

export type CreateFixture = ReturnType<typeof createCreateFixture>;
