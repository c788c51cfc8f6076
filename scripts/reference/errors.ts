import { generated, header, row } from './markdown.ts';
import { sourceFiles } from './source.ts';

/** `new XError('some-code', 'message'…`, or with a template as message. */
const thrown =
  /new [A-Z]\w*Error\(\s*'([a-z0-9]+(?:-[a-z0-9]+)+)',\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"([^"]*)")/g;
/** Issues of policies: `issues.error('policy-…', path, …`. */
const issues = /issues\.(?:error|warn)\(\s*'([a-z0-9]+(?:-[a-z0-9]+)+)',/g;

/** A code in a table or an object: `code: 'git-…'`. */
const tabled = /\bcode: '([a-z0-9]+(?:-[a-z0-9]+)+)'/g;

/** The servers that embed a cluster and a registry answer as Kubernetes and OCI do; their codes are not ours. */
const foreign = /^(?:apiserver|registryserver)\//;

/** docs/reference/errors.md */
export function errorsReference(): string {
  const found = new Map<string, { readonly folders: Set<string>; readonly messages: Set<string> }>();
  const entry = (code: string, folder: string) => {
    const own = found.get(code) ?? { folders: new Set<string>(), messages: new Set<string>() };
    found.set(code, own);
    own.folders.add(folder);
    return own;
  };
  for (const { path, text } of sourceFiles()) {
    if (foreign.test(path)) continue;
    const folder = path.split('/')[0]!;
    for (const [, code, plain, template, quoted] of text.matchAll(thrown))
      entry(code!, folder).messages.add(messageOf(plain ?? template ?? quoted ?? ''));
    for (const pattern of [issues, tabled]) for (const [, code] of text.matchAll(pattern)) entry(code!, folder);
  }
  const rows = [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { folders, messages }]) =>
      row(`\`${code}\``, [...folders].sort().join(', '), [...messages].sort().join('; ')),
    );
  return `# Error codes

${generated('the source')}
Every error has a stable code: in the field \`code\` of log lines and JSON, in conditions and in the list below. The message that
is printed says what is wrong and where; \`…\` stands for what varies. The codes \`policy-…\` without a message here are issues of
policies, whose messages name the field: see [policies](../policies.md).

${header('Code', 'From', 'Message')}${rows.join('')}`;
}

function messageOf(text: string): string {
  // A template expression may contain braces of its own, but no nested template with them in these messages.
  const plain = text.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…').replaceAll(/\\(.)/g, '$1');
  return plain.replaceAll('<', '\\<').replaceAll('*', '\\*');
}
