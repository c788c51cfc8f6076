import { type Clock, isJsonObject } from '../base/index.ts';
import type { ClusterConfig, Environment } from './cluster-config.ts';
import {
  anonymous,
  basic,
  bearer,
  type CredentialSource,
  type Credentials,
  fileCredentials,
  KubeConfigError,
  staticCredentials,
} from './credentials.ts';
import { type ExecPlugin, execApiVersions, execCredentials } from './exec-credentials.ts';
import { type Entry, entryData, entryPath, entryText } from './kubeconfig-file.ts';

interface UserOptions {
  readonly env: Environment;
  readonly clock: Clock;
  readonly hasTerminal: boolean;
  /** The cluster information for plugins that request it. */
  readonly cluster: Readonly<Record<string, unknown>>;
}

/** The headers of `as`, `as-uid`, `as-groups` and `as-user-extra`. */
export function impersonationOf(user: Entry): ClusterConfig['headers'] {
  const headers: Record<string, string | readonly string[]> = {};
  const as = entryText(user, 'as');
  if (as === undefined) return undefined;
  headers['impersonate-user'] = as;
  const uid = entryText(user, 'as-uid');
  if (uid !== undefined) headers['impersonate-uid'] = uid;
  const groups = user.value['as-groups'];
  if (Array.isArray(groups)) headers['impersonate-group'] = groups.map(String);
  const extra = user.value['as-user-extra'];
  for (const [key, values] of Object.entries(isJsonObject(extra) ? extra : {})) {
    if (Array.isArray(values))
      headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = values.map(String);
  }
  return headers;
}

/** The credentials of a kubeconfig's user. Static credentials win over a plugin, as in kubectl. */
export function credentialsOf(user: Entry, options: UserOptions): CredentialSource {
  const { clock } = options;
  const provider = user.value['auth-provider'];
  if (isJsonObject(provider)) {
    throw new KubeConfigError(
      'kube-config-unsupported',
      `auth-provider "${String(provider['name'])}" was removed from Kubernetes; use an exec plugin instead`,
    );
  }
  const username = entryText(user, 'username');
  const token = entryText(user, 'token');
  const tokenFile = entryPath(user, 'tokenFile');
  if (username !== undefined && (token ?? tokenFile) !== undefined) {
    throw new KubeConfigError('kube-config-invalid', 'the user has both a token and a username; remove one');
  }
  const certificate = entryData(user, 'client-certificate-data');
  const key = entryData(user, 'client-key-data');
  const certificateFile = certificate === undefined ? entryPath(user, 'client-certificate') : undefined;
  const keyFile = key === undefined ? entryPath(user, 'client-key') : undefined;
  const rest: Credentials = {
    certificate,
    key,
    authorization: username === undefined ? token && bearer(token) : basic(username, entryText(user, 'password') ?? ''),
  };
  if ((certificate ?? certificateFile) !== undefined && (key ?? keyFile) === undefined) {
    throw new KubeConfigError('kube-config-invalid', 'the user has a client-certificate but no client-key');
  }
  if (tokenFile ?? certificateFile ?? keyFile) {
    return fileCredentials({ clock, tokenFile, certificateFile, keyFile, rest });
  }
  if (rest.authorization !== undefined || certificate !== undefined) return staticCredentials(rest);
  const exec = user.value['exec'];
  return isJsonObject(exec) ? execCredentials(pluginOf({ value: exec, folder: user.folder }), options) : anonymous;
}

function pluginOf(exec: Entry): ExecPlugin {
  const command = entryText(exec, 'command');
  const apiVersion = entryText(exec, 'apiVersion') ?? '';
  const wrong = (what: string) => new KubeConfigError('kube-config-unsupported', `the user's exec plugin ${what}`);
  if (command === undefined) throw wrong('has no command');
  if (!execApiVersions.includes(apiVersion)) {
    throw wrong(`has apiVersion "${apiVersion}"; supported: ${execApiVersions.join(', ')}`);
  }
  const mode = entryText(exec, 'interactiveMode') ?? (apiVersion.endsWith('/v1beta1') ? 'IfAvailable' : '');
  if (mode !== 'Never' && mode !== 'IfAvailable' && mode !== 'Always') {
    throw wrong('must set interactiveMode to Never, IfAvailable or Always');
  }
  const { args, env } = exec.value;
  return {
    apiVersion,
    // `./plugin` is relative to the kubeconfig; a bare name is looked up in PATH.
    command: command.includes('/') ? (entryPath(exec, 'command') ?? command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: (Array.isArray(env) ? env : []).filter(isJsonObject).map((variable) => ({
      name: String(variable['name']),
      value: String(variable['value'] ?? ''),
    })),
    installHint: entryText(exec, 'installHint'),
    provideClusterInfo: exec.value['provideClusterInfo'] === true,
    interactiveMode: mode,
  };
}
