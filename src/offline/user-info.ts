import type { Files } from '../manifests/index.ts';
import { placeOf, readDocuments } from '../manifests/index.ts';
import type { RequestInfo } from '../policy/index.ts';
import { flag, listOf, map, type Reader, refuse, shape, text } from './strict.ts';

interface UserInfoFile {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: unknown;
  readonly roles?: readonly string[];
  readonly clusterRoles?: readonly string[];
  readonly userInfo?: User;
  readonly synchronize?: boolean;
  readonly dryRun?: boolean;
}

interface User {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const extra: Reader<Readonly<Record<string, readonly string[]>>> = (value, where) =>
  Object.fromEntries(
    Object.entries(map(value, where)).map(([key, list]) => [key, listOf(text)(list, `${where} ${key}`)]),
  );

/** Reads a file of kind UserInfo (`cli.kyverno.io/v1alpha1`): the user and its roles. The kind is not checked. */
export function loadUserInfo(files: Files, file: string): RequestInfo {
  const [document, second] = readDocuments(files, file);
  if (!document || second) return refuse(file, 'one document of kind UserInfo is expected');
  const where = placeOf(document);
  const read = shape<UserInfoFile>({
    apiVersion: text,
    kind: text,
    metadata: map,
    roles: listOf(text),
    clusterRoles: listOf(text),
    userInfo: shape<User>({ username: text, uid: text, groups: listOf(text), extra }),
    synchronize: flag,
    dryRun: flag,
  })(document.value, where);
  const { username = '', groups = [], ...rest } = read.userInfo ?? {};
  return { userInfo: { username, groups, ...rest }, roles: read.roles ?? [], clusterRoles: read.clusterRoles ?? [] };
}
