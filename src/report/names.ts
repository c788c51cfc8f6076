import { createHash } from 'node:crypto';

/** Which policy a report is about. A name alone is not enough: a Policy and a ClusterPolicy may share it. */
export interface ReportPolicy {
  readonly kind: 'ClusterPolicy' | 'Policy';
  readonly name: string;
}

export interface ReportIdentity {
  /** Empty for resources that live in no namespace. */
  readonly namespace: string;
  /** Absent in the old form, where one report holds all policies. */
  readonly policy?: ReportPolicy | undefined;
  /** Which part of a report that outgrew one object: the path in its tree of halves, empty for the whole. */
  readonly chunk?: string | undefined;
}

/** What Kubernetes allows. */
export const maxNameLength = 253;

// Every name with something to add ends with a label of this form. A policy whose own name would end like that gets a
// hash, and with it a label of the form: so no plain name ever has one, and no two identities share a name.
const reservedTail = /\.sc-[^.]*$/;

/** A name for the report; different identities always have different names, in whatever order they are asked for. */
export function reportName(identity: ReportIdentity): string {
  const { policy, chunk = '' } = identity;
  const plain = plainName(identity);
  const suffix = `${policy?.kind === 'Policy' ? 'p' : ''}${chunk === '' ? '' : `c${chunk}`}`;
  const readable = suffix === '' ? plain : `${plain}.sc-${suffix}`;
  const isAmbiguous = reservedTail.test(plain);
  if (!isAmbiguous && readable.length <= maxNameLength) return readable;
  const tail = `.sc-h${hashOf(identity)}${suffix}`;
  return `${cut(plain, maxNameLength - tail.length)}${tail}`;
}

function plainName({ namespace, policy }: ReportIdentity): string {
  const base = namespace === '' ? 'clusterpolicyreport' : `polr-ns-${namespace}`;
  return policy === undefined ? base : `${base}-${policy.name}`;
}

/** A name may not have a label that ends with a dash, nor an empty one. */
function cut(name: string, length: number): string {
  return name.slice(0, length).replace(/[^a-z0-9]+$/, '');
}

function hashOf({ namespace, policy }: ReportIdentity): string {
  const text = JSON.stringify([namespace, policy?.kind, policy?.name]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
