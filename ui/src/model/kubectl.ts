import type { ObjectRef } from '../../../src/dashboard/protocol.ts';

const plain = /^[A-Za-z0-9_.:/@%+,=-]+$/;
// Kubernetes' own groups: their kinds are unambiguous without them.
const ownGroups = new Set(['apps', 'batch', 'networking.k8s.io', 'policy', 'rbac.authorization.k8s.io']);

/** One word of a POSIX shell, whatever it contains. */
export const quoteWord = (word: string): string => (plain.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The kind as kubectl takes it: `deployment`, `mirroredimage.v1alpha1.example.dev`. */
export function kubectlKind(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const name = kind.toLowerCase();
  return group === '' || ownGroups.has(group) ? name : `${name}.${apiVersion.slice(slash + 1)}.${group}`;
}

/** A command that shows the object. Names come from strangers: none of them may end the word or begin an option. */
export function renderKubectl({ apiVersion, kind, name, namespace }: ObjectRef): string {
  const words = ['kubectl', 'describe'];
  if (namespace) words.push(`--namespace=${namespace}`);
  words.push(`${kubectlKind(apiVersion, kind)}/${name}`);
  return words.map(quoteWord).join(' ');
}

export const renderImageCommand = (id: string): string =>
  ['supercargo', 'image', ...(id.startsWith('-') ? ['--'] : []), quoteWord(id)].join(' ');
