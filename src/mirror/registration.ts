import type { Registration, WebhookEntry } from '../webhook/index.ts';
import type { MirrorSettings } from './settings.ts';

export interface MirrorRegistrationOptions {
  readonly rewrite: MirrorSettings['rewrite'];
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly timeoutSeconds: number;
  /** The label of the selected namespaces. */
  readonly namespaceSelector: NonNullable<WebhookEntry['namespaceSelector']>;
}

/** The path for all kinds, and the two paths of the original controller. */
export const mirrorPaths = {
  all: 'mirror',
  deployment: 'imageclone-v1-deployment',
  daemonSet: 'imageclone-v1-daemonset',
};

/** The registration never changes while the program runs. `rewrite` sorts after `mutate`, so policies run first. */
export function mirrorRegistration(options: MirrorRegistrationOptions): Registration {
  const { rewrite, failurePolicy, timeoutSeconds, namespaceSelector } = options;
  const rule = (apiGroup: string, ...resources: readonly string[]) => ({
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [apiGroup],
    apiVersions: ['v1'],
    resources,
    scope: 'Namespaced' as const,
  });
  const rules =
    rewrite === 'pods'
      ? [rule('', 'pods', 'pods/ephemeralcontainers')]
      : [rule('apps', 'deployments', 'daemonsets', 'statefulsets'), rule('batch', 'jobs', 'cronjobs')];
  const entries: readonly WebhookEntry[] = [
    { name: 'mirror', path: `/${mirrorPaths.all}`, rules, failurePolicy, timeoutSeconds, namespaceSelector },
  ];
  return { name: 'rewrite', type: 'mutating', entries: async () => entries, subscribe: () => () => {} };
}
