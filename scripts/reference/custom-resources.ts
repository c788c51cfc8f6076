import { customResourceDefinitions } from '../../src/api/index.ts';
import type { Schema } from '../../src/api/schema.ts';
import { generated, header, row } from './markdown.ts';

interface Spec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string; readonly shortNames: readonly string[] };
  readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
}

/** docs/reference/custom-resources.md */
export function customResourcesReference(): string {
  const definitions = customResourceDefinitions('supercargo').map((crd) => crd['spec'] as Spec);
  // Namespaced and cluster-scoped kinds of one schema share a section.
  const sections = new Map<string, Spec[]>();
  for (const spec of definitions) {
    const key = JSON.stringify(spec.versions[0]!.schema.openAPIV3Schema.properties);
    sections.set(key, [...(sections.get(key) ?? []), spec]);
  }
  return `# Custom resources

${generated('src/api')}
\`kubectl explain\` shows the same. Fields that selectors, contexts and conditions repeat are listed once for each place, down
to the fourth level; below it, ask \`kubectl explain\`.

${[...sections.values()].map(renderSection).join('\n')}`;
}

function renderSection(specs: readonly Spec[]): string {
  const [{ versions }] = specs as readonly [Spec];
  const schema = versions[0]!.schema.openAPIV3Schema;
  const kinds = specs.map(
    ({ names, group, scope, versions: served }) =>
      `- **${names.kind}** (\`${served.map(({ name }) => `${group}/${name}`).join('`, `')}\`, ${scope.toLowerCase()}, ` +
      `\`${[names.plural, ...names.shortNames].join('`, `')}\`): ${served[0]!.schema.openAPIV3Schema.description}`,
  );
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name]) => !['apiVersion', 'kind', 'metadata'].includes(name),
  );
  const rows = fields.flatMap(([name, field]) => rowsOf(name, field, schema.required?.includes(name) ?? false));
  const title = specs.map(({ names }) => names.kind).join(', ');
  return `## ${title}\n\n${kinds.join('\n')}\n\n${header('Field', 'Type', 'Default', 'Meaning')}${rows.join('')}`;
}

const maxDepth = 4;

function rowsOf(path: string, schema: Schema, isRequired: boolean): readonly string[] {
  const description = `${schema.description ?? ''}${isRequired ? ' Required.' : ''}`;
  const own = row(
    `\`${path}\``,
    typeOf(schema),
    schema.default === undefined ? '' : `\`${String(schema.default)}\``,
    description.replaceAll('<', '\\<'),
  );
  const item = schema.items ?? schema.additionalProperties;
  const [inner, base] = item ? [item, `${path}[]`] : [schema, path];
  const isDeep = path.split('.').length >= maxDepth;
  const fields = isDeep ? [] : Object.entries(inner.properties ?? {});
  return [
    own,
    ...fields.flatMap(([name, field]) => rowsOf(`${base}.${name}`, field, inner.required?.includes(name) ?? false)),
  ];
}

function typeOf({ type, items, additionalProperties, enum: values }: Schema): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (type === 'array') return `list of ${items?.type ?? 'any'}`;
  if (additionalProperties) return `map of ${additionalProperties.type ?? 'any'}`;
  return type ?? 'any';
}
