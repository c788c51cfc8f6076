import { type Json, type JsonObject, renderJson } from '../base/index.ts';

/** Options as environment variables, or the problems with them. */
interface OptionVariables {
  /** Sorted by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Options that were dropped because they may not be set from outside. */
  readonly ignored: readonly string[];
  readonly problems: readonly string[];
}

const maxOptions = 100;
const maxBytes = 64 * 1024;

/** Variables that the program, the shell, the loader or a cloud client reads. An option must not set them. */
const protectedNames = new Set([
  'PATH',
  'HOME',
  'USER',
  'SHELL',
  'HOSTNAME',
  'PWD',
  'IFS',
  'ENV',
  'TMPDIR',
  'BASH_ENV',
  'SHELLOPTS',
  'GODEBUG',
  'GOTRACEBACK',
  'PERL5LIB',
  'PERL5OPT',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'KUBECONFIG',
  'JOB_TYPE',
  'ALLOW_EMPTY',
  'ALLOW_REMOVE_SHARE',
  'LOCK_FILE',
  'LOCK_TIMEOUT',
  'KYVERNO_CLI',
  'SYNC_MODE',
]);
const protectedPrefixes = [
  'FAIRWINDS_',
  'KUBERNETES_',
  'LD_',
  'DYLD_',
  'NODE_',
  'PYTHON',
  'GIT_',
  'AWS_',
  'AZURE_',
  'GOOGLE_',
  'DOCKER_',
];

function isProtected(name: string): boolean {
  return protectedNames.has(name) || protectedPrefixes.some((prefix) => name.startsWith(prefix));
}

/** `imagesToScan`, `images-to-scan` and `IMAGES_TO_SCAN` all become `IMAGES_TO_SCAN`. */
export function variableName(option: string): string {
  return option
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .toUpperCase();
}

export function variablesOf(options: JsonObject): OptionVariables {
  const entries = Object.entries(options).filter((entry): entry is [string, Json] => entry[1] != null);
  const problems: string[] = [];
  const ignored: string[] = [];
  const found = new Map<string, string>();
  if (entries.length > maxOptions) problems.push(`there are more than ${maxOptions} options`);
  let bytes = 0;
  for (const [option, value] of entries.slice(0, maxOptions)) {
    const name = variableName(option);
    const text = typeof value === 'string' ? value : renderJson(value);
    bytes += name.length + Buffer.byteLength(text);
    if (!/^[A-Z][A-Z0-9_]*$/.test(name)) problems.push(`option ${quote(option)} cannot be a variable's name`);
    else if (text.includes('\0')) problems.push(`option ${quote(option)} holds a zero byte`);
    else if (isProtected(name)) ignored.push(name);
    else if (found.has(name)) problems.push(`two options are both ${name}`);
    else found.set(name, text);
  }
  if (bytes > maxBytes) problems.push(`the options are larger than ${maxBytes} bytes`);
  const variables = new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { variables, ignored: ignored.sort(), problems };
}

const quote = (text: string) => JSON.stringify(text.slice(0, 80));
