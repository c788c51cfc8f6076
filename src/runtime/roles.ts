import type { InformerFactory, ResourceType } from '../kube/index.ts';
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

/** What is kept of a binding: whom it binds, and to what. */
interface Binding {
  readonly subjects: readonly string[];
  /** `namespace:name` of a Role, the name of a ClusterRole. */
  readonly role: string;
  readonly isClusterRole: boolean;
}

export interface BoundRoles {
  readonly roles: readonly string[];
  readonly clusterRoles: readonly string[];
}

/** The roles that are bound to users. Bindings are watched from the first question on: most policies never ask. */
export interface Roles {
  of(user: RequestUser, signal: AbortSignal): Promise<BoundRoles>;
}

export function createRoles({ informers }: { readonly informers: InformerFactory }): Roles {
  const follow = () =>
    bindingTypes.map((type) =>
      informers.for<KubeObject, Binding>(type, {
        projection: { name: 'binding', project: bindingOf },
        indexes: { subject: ({ subjects }) => subjects },
      }),
    );
  let followed: ReturnType<typeof follow> | undefined;
  return {
    async of(user, signal) {
      followed ??= follow();
      await Promise.all(followed.map((informer) => informer.synced(signal)));
      const roles = new Set<string>();
      const clusterRoles = new Set<string>();
      for (const subject of subjectsOf(user)) {
        for (const informer of followed) {
          for (const { role, isClusterRole } of informer.byIndex('subject', subject))
            (isClusterRole ? clusterRoles : roles).add(role);
        }
      }
      return { roles: [...roles].sort(), clusterRoles: [...clusterRoles].sort() };
    },
  };
}

/** A service account is known by its user name; whatever binds it binds that user. */
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
    subjects: subjects.map(({ kind: of, name: who = '', namespace = '' }) =>
      of === 'ServiceAccount' ? `User system:serviceaccount:${namespace}:${who}` : `${of} ${who}`,
    ),
    role: isClusterRole ? name : `${object.metadata.namespace ?? ''}:${name}`,
    isClusterRole,
  };
}
