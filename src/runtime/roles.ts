import type { MaybePromise } from '../base/index.ts';
import type { Informer, InformerFactory, ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { RequestUser } from '../policy/index.ts';

const rbac = (resource: string, kind: string, namespaced: boolean): ResourceType => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  resource,
  kind,
  namespaced,
});
const bindingTypes = [
  rbac('rolebindings', 'RoleBinding', true),
  rbac('clusterrolebindings', 'ClusterRoleBinding', false),
];

/** What the informer stores of a binding: subjects and role. */
interface Binding {
  readonly subjects: readonly string[];
  /** `namespace:name` of a Role, the name of a ClusterRole. */
  readonly role: string;
  readonly isClusterRole: boolean;
}

interface BoundRoles {
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** The roles that are bound to users. Bindings are watched from the first call on, because most policies never read roles. */
export interface Roles {
  /** Waits only for the first list; the signal is a function, because one is expensive. */
  of(user: RequestUser, signal: () => AbortSignal): MaybePromise<BoundRoles>;
}

export function createRoles({ informers }: { readonly informers: InformerFactory }): Roles {
  const startInformers = () =>
    bindingTypes.map((type) =>
      informers.for<KubeObject, Binding>(type, {
        projection: { name: 'binding', project: bindingOf },
        indexes: { subject: ({ subjects }) => subjects },
      }),
    );
  let bindingInformers: ReturnType<typeof startInformers> | undefined;
  return {
    of(user, signal) {
      bindingInformers ??= startInformers();
      const watched = bindingInformers;
      if (watched.every(({ hasSynced }) => hasSynced)) return boundTo(user, watched);
      const until = signal();
      return Promise.all(watched.map((informer) => informer.synced(until))).then(() => boundTo(user, watched));
    },
  };
}

function boundTo(user: RequestUser, informers: readonly Pick<Informer<KubeObject, Binding>, 'byIndex'>[]): BoundRoles {
  const roles = new Set<string>();
  const clusterRoles = new Set<string>();
  for (const subject of subjectsOf(user)) {
    for (const informer of informers) {
      for (const { role, isClusterRole } of informer.byIndex('subject', subject))
        (isClusterRole ? clusterRoles : roles).add(role);
    }
  }
  return { roles: [...roles].sort(), clusterRoles: [...clusterRoles].sort() };
}

/** A binding of a ServiceAccount is indexed by its user name, so users and groups are enough. */
function subjectsOf({ username, groups }: RequestUser): readonly string[] {
  return [`User ${username}`, ...groups.map((group) => `Group ${group}`)];
}

interface Subject {
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

function bindingOf(object: KubeObject): Binding {
  const subjects = Array.isArray(object['subjects']) ? (object['subjects'] as readonly Subject[]) : [];
  const { kind, name = '' } = (object['roleRef'] ?? {}) as { readonly kind?: string; readonly name?: string };
  const isClusterRole = kind === 'ClusterRole';
  return {
    subjects: subjects.map(({ kind: subjectKind, name: subjectName = '', namespace = '' }) =>
      subjectKind === 'ServiceAccount'
        ? `User system:serviceaccount:${namespace}:${subjectName}`
        : `${subjectKind} ${subjectName}`,
    ),
    role: isClusterRole ? name : `${object.metadata.namespace ?? ''}:${name}`,
    isClusterRole,
  };
}
