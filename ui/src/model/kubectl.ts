import type {
  CopyRow,
  DetectionRow,
  JobRow,
  ObjectRef,
  PipelinePolicy,
  ResultRow,
} from '../../../src/dashboard/protocol.ts';
import { visibleText } from './visible-text.ts';

// zsh replaces a word that begins with `=`.
const plain = /^[A-Za-z0-9_.:/@%+,-][A-Za-z0-9_.:/@%+,=-]*$/;
// Kubernetes' own groups: their kinds are unambiguous without them.
const ownGroups = new Set(['apps', 'batch', 'networking.k8s.io', 'policy', 'rbac.authorization.k8s.io']);

const lineBreaks: Readonly<Record<string, string>> = { '\t': '⟨U+0009⟩', '\n': '⟨U+000A⟩', '\r': '⟨U+000D⟩' };
/** A terminal obeys control characters of what is pasted, also within quotes: they are written out. */
const harmless = (word: string) => visibleText(word).replace(/[\t\n\r]/g, (char) => lineBreaks[char]!);

/** One word of a POSIX shell, whatever it contains. */
export const quoteWord = (word: string): string =>
  plain.test(word) ? word : `'${harmless(word).replaceAll("'", "'\\''")}'`;

/**
 * The kind as kubectl takes it: `deployment`, `mirroredimage.supercargo.dev`. Without a version: kubectl takes the one
 * that the server prefers.
 */
export function kubectlKind(apiVersion: string, kind: string): string {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const name = kind.toLowerCase();
  return group === '' || ownGroups.has(group) ? name : `${name}.${group}`;
}

/**
 * A command that shows the object. Names and kinds come from strangers: none of them may end the word or begin an
 * option.
 */
export function renderKubectl({ apiVersion, kind, name, namespace }: ObjectRef): string {
  const words = ['kubectl', 'describe'];
  if (namespace) words.push(`--namespace=${namespace}`);
  const object = `${kubectlKind(apiVersion, kind)}/${name}`;
  return [...words, ...wordsOf(object)].map(quoteWord).join(' ');
}

export const renderImageCommand = (id: string): string =>
  ['supercargo', 'image', ...wordsOf(id)].map(quoteWord).join(' ');

/** An argument that is no option. */
const wordsOf = (argument: string): readonly string[] => (argument.startsWith('-') ? ['--', argument] : [argument]);

/** The commands of the rows of each list. */
export const rowCommands = {
  copy: ({ name }: Pick<CopyRow, 'name'>) =>
    renderKubectl({ apiVersion: 'supercargo.dev/v1alpha1', kind: 'MirroredImage', name }),
  detection: ({ namespace, name }: Pick<DetectionRow, 'namespace' | 'name'>) =>
    renderKubectl({ apiVersion: 'automation.gitops.io/v1beta1', kind: 'ImageDetected', namespace, name }),
  policy: ({ namespace, name }: Pick<PipelinePolicy, 'namespace' | 'name'>) =>
    renderKubectl({ apiVersion: 'automation.gitops.io/v1beta1', kind: 'ImageResourcePolicy', namespace, name }),
  job: ({ namespace, name }: Pick<JobRow, 'namespace' | 'name'>) =>
    renderKubectl({ apiVersion: 'batch/v1', kind: 'Job', namespace, name }),
  result: ({ resource }: Pick<ResultRow, 'resource'>) => renderKubectl(resource),
};
