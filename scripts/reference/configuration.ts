import { overridableSettings } from '../../src/app/config-overrides.ts';
import { configFileOf, configJsonSchema, describeSettings, type SettingSchema } from '../../src/app/config-settings.ts';
import { reloadableSettings } from '../../src/app/config-watch.ts';
import { renderJson, renderYaml } from '../../src/base/index.ts';
import { generated, header, row } from './markdown.ts';

export const configurationSchema = (): string => `${renderJson(configJsonSchema(), 2)}\n`;

/** docs/reference/configuration.md */
export function configurationReference(): string {
  const settings = describeSettings();
  const groups = new Map<string, typeof settings>();
  for (const one of settings) {
    const group = one.path.length > 1 ? one.path[0]! : '';
    groups.set(group, [...(groups.get(group) ?? []), one]);
  }
  const { properties = {} } = configJsonSchema();
  const sections = [...groups].map(([group, own]) => {
    const title = group === '' ? '## General\n' : `## ${group}\n\n${properties[group]?.description ?? ''}\n`;
    const rows = own.map(({ path, schema }) =>
      row(`\`${path.join('.')}\``, typeOf(schema), defaultOf(schema), schema.description ?? ''),
    );
    return `${title}\n${header('Setting', 'Type', 'Default', 'Meaning')}${rows.join('')}`;
  });
  const overrides = overridableSettings.map(({ key, flag, env }) =>
    row(`\`${key}\``, flag ? `\`${flag.name}\`` : '', env ? `\`${env}\`` : ''),
  );
  return `# Configuration

${generated('src/app/config.ts')}
\`supercargo run --config FILE\` reads one YAML file; an installation keeps it in a ConfigMap. Every setting has a default. An
unknown setting is refused, with the one that was probably meant. \`supercargo config print\` shows every setting with its value
and where it is from, \`supercargo config check\` names all mistakes of a file, and \`supercargo config schema\` prints the
[JSON Schema](configuration.schema.json) for editors and other programs.

The features \`sync\` and \`jobs\` are configured by environment variables: see [Insights](../insights.md).

## Options and environment

An option replaces the variable, and both replace the file. An empty variable counts as not set.

${header('Setting', 'Option', 'Variable')}${overrides.join('')}
\`supercargo up\`, \`sync\` and \`jobs\` have the log options and variables too.

## Changes while the program runs

The file is read again every five seconds; a mounted ConfigMap reaches the pod about a minute after its change. These settings are
taken over at once: ${reloadableSettings.map((key) => `\`${key}\``).join(', ')}. All others need a restart, because webhooks, watches and
queues are made with them; the log names them (\`a change of the configuration needs a restart\`). An invalid file changes
nothing and is logged.

${sections.join('\n')}
## Durations and selectors

A duration is a number with \`ms\`, \`s\`, \`m\` or \`h\`: \`500ms\`, \`15s\`, \`1h\`. A label selector has \`matchLabels\` and
\`matchExpressions\` as in Kubernetes.

## A file with every setting

The values are the defaults, or examples where there is no default.

\`\`\`yaml
${renderYaml(exampleFile())}\`\`\`
`;
}

/** Every setting with its default, or its example. */
function exampleFile(): object {
  return configFileOf(
    describeSettings().map(({ path, schema }) => {
      const isEmpty = Array.isArray(schema.default) && schema.default.length === 0;
      const value = schema.default === undefined || isEmpty ? (schema.examples?.[0] ?? schema.default) : schema.default;
      return { key: path.join('.'), value, from: 'default', description: '' };
    }),
  );
}

function typeOf({ type = 'text', items, minimum, maximum, enum: values }: SettingSchema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (type === 'array') return items?.enum ? `list of ${items.enum.map((value) => `\`${value}\``).join(', ')}` : 'list';
  if (type === 'object') return 'label selector';
  const range = [
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? [`from ${minimum}`] : []),
    ...(maximum !== undefined ? [`to ${maximum}`] : []),
  ].join(' ');
  const names: Readonly<Record<string, string>> = { integer: 'number', boolean: '`true`, `false`', string: 'text' };
  return [names[type] ?? type, range].filter(Boolean).join(' ');
}

function defaultOf({ default: value }: SettingSchema): string {
  if (value === undefined) return '';
  return `\`${typeof value === 'string' ? value : renderJson(value)}\``;
}
