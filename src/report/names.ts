import { createHash } from 'node:crypto';

/** The policy that a report is about. A name alone is not enough: a Policy and a ClusterPolicy may share it. */
interface ReportPolicy {
  readonly kind: string;
  readonly name: string;
}

/** A policy by its key: a name, `namespace/name`, or either behind a kind, which no namespace can be called. */
export function policyOf(key: string): ReportPolicy & { readonly shownName: string } {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const [first = ''] = parts;
  if (/^[A-Z]/.test(first)) return { kind: first, name, shownName: parts.slice(1).join('/') };
  return { kind: parts.length === 1 ? 'ClusterPolicy' : 'Policy', name, shownName: key };
}

export interface ReportIdentity {
  /** Empty for cluster-scoped resources. */
  readonly namespace: string;
  /** Absent in the old form, where one report holds all policies. */
  readonly policy?: ReportPolicy | undefined;
  /** The part of a report that outgrew one object: its path in the tree of halves, empty for the whole. */
  readonly chunk?: string | undefined;
}

/** The limit of Kubernetes. */
export const maxNameLength = 253;

// Every name with a suffix ends with a label of this form. A policy whose own name would end like that gets a hash, and
// with it a label of the form. So no plain name ever has one, and no two identities share a name.
const reservedTail = /\.sc-[^.]*$/;

/** The name of a report. Different identities always have different names, in whatever order they are requested. */
export function reportName(identity: ReportIdentity): string {
  const { policy, chunk = '' } = identity;
  const plain = plainName(identity);
  const suffix = `${kindTag(policy?.kind)}${chunk === '' ? '' : `c${chunk}`}`;
  const readable = suffix === '' ? plain : `${plain}.sc-${suffix}`;
  const isAmbiguous = reservedTail.test(plain);
  if (!isAmbiguous && readable.length <= maxNameLength) return readable;
  const tail = `.sc-h${hashOf(identity)}${suffix}`;
  return `${cut(plain, maxNameLength - tail.length)}${tail}`;
}

/** None for the oldest kind, whose reports are named after the policy alone. */
function kindTag(kind = 'ClusterPolicy'): string {
  if (kind === 'ClusterPolicy') return '';
  return kind === 'Policy' ? 'p' : `x${kind.toLowerCase()}`;
}

function plainName({ namespace, policy }: ReportIdentity): string {
  const base = namespace === '' ? 'clusterpolicyreport' : `polr-ns-${namespace}`;
  return policy === undefined ? base : `${base}-${policy.name}`;
}

/** A label in a name must not end with a dash, nor be empty. */
function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/[^a-z0-9]+$/, '');
}

function hashOf({ namespace, policy }: ReportIdentity): string {
  const text = JSON.stringify([namespace, policy?.kind, policy?.name]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
