import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const exampleFile = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));
export const readExample = (name: string) => readFileSync(exampleFile(name), 'utf8');

/** The shipped policy, for one namespace and under another name, so that scenarios do not affect each other. */
export function jobPolicy(name: string, namespace: string): string {
  return readExample('unique-job-per-image/clusterpolicy.yaml')
    .replace('name: generate-unique-job-per-image\n', `name: ${name}\n`)
    .replace('                - Pod\n', `                - Pod\n              namespaces: [${namespace}]\n`);
}

/** A rule that puts a ConfigMap `settings` into namespaces with a label. */
export function settingsPolicy(name: string, label: string, options: string, data = '{ level: low }'): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name} }
spec:
  rules:
    - name: settings
      match:
        any:
          - resources: { kinds: [Namespace], selector: { matchLabels: { scenario: ${label} } } }
      generate:
        ${options}
        apiVersion: v1
        kind: ConfigMap
        name: settings
        namespace: "{{ request.object.metadata.name }}"
        data: { data: ${data} }
`;
}

/** A rule that copies a ConfigMap into namespaces with a label. */
export function clonePolicy(name: string, label: string, from: string, synchronize: boolean): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ${name} }
spec:
  rules:
    - name: copy
      match:
        any:
          - resources: { kinds: [Namespace], selector: { matchLabels: { scenario: ${label} } } }
      generate:
        synchronize: ${synchronize}
        apiVersion: v1
        kind: ConfigMap
        name: copied
        namespace: "{{ request.object.metadata.name }}"
        clone: { namespace: ${from}, name: original }
`;
}
