import type { EventSubject } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';

export function subjectOf({ apiVersion, kind, metadata }: KubeObject): EventSubject {
  const { name = '', namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, name, namespace, uid, resourceVersion };
}
