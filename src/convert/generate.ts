import { isJsonObject, renderYaml } from '../base/index.ts';
import { parseKindSelector, type RuleSpec } from '../policy/index.ts';
import { quote } from './cel-text.ts';
import type { ExpressionScope } from './expression.ts';
import { type ServedKind, servedKinds } from './kinds.ts';
import { refuse } from './not-convertible.ts';
import type { SampleSource } from './sample-cluster.ts';
import { partsOf } from './text-parts.ts';
import { writeNested, writeValue } from './values.ts';

type GenerateSpec = NonNullable<RuleSpec['generate']>;

interface ConvertedGeneration {
  readonly generate: readonly object[];
  /** What it reads: objects for trying the conversion. */
  readonly sources: readonly SampleSource[];
}

interface Around {
  readonly scope: ExpressionScope;
  readonly path: string;
  /** Of a policy of a namespace: its libraries take no namespace. */
  readonly isNamespaced: boolean;
}

/** The part of a rule that makes objects; throws NotConvertible. */
export function convertGeneration(spec: GenerateSpec, around: Around): ConvertedGeneration {
  const { path } = around;
  if (spec.foreach) return refuse(`${path}.foreach`, 'loops that make objects are not converted');
  if (spec.cloneList?.kinds) return convertCloneList(spec, around);
  if (spec.clone?.name) return convertClone(spec, around);
  return { generate: [{ template: { value: renderYaml(templateOf(spec, around)), interpolate: 'cel' } }], sources: [] };
}

function templateOf({ apiVersion, kind, name, namespace, data }: GenerateSpec, around: Around): object {
  const { metadata, ...content } = isJsonObject(data) ? data : {};
  const own = isJsonObject(metadata) ? metadata : {};
  const render = (value: unknown, field: string) => interpolated(value, { ...around, path: `${around.path}.${field}` });
  return {
    apiVersion: render(apiVersion, 'apiVersion'),
    kind: render(kind, 'kind'),
    metadata: {
      ...(render(own, 'data.metadata') as object),
      name: render(name, 'name'),
      ...(namespace ? { namespace: render(namespace, 'namespace') } : {}),
    },
    ...(render(content, 'data') as object),
  };
}

/** The variables of a value as placeholders. */
function interpolated(value: unknown, at: Around): unknown {
  if (typeof value === 'string') return interpolatedText(value, at);
  if (Array.isArray(value)) return value.map((item, i) => interpolated(item, { ...at, path: `${at.path}[${i}]` }));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, below]) => {
      const path = `${at.path}.${key}`;
      if (key.includes('{{') || key.includes('((')) refuse(path, 'a key with a variable');
      return [key, interpolated(below, { ...at, path })];
    }),
  );
}

function interpolatedText(text: string, { scope, path }: Around): string {
  const parts = partsOf(text, path);
  return parts
    .map((part) => {
      if ('text' in part) return part.text.replaceAll('((', '\\((');
      // Alone, a placeholder may be of any type.
      const variable = `{{${part.expression}}}`;
      const { text: expression } =
        parts.length === 1 ? writeValue(variable, { scope, path }) : { text: writeNested(variable, scope, path) };
      return `((${expression}))`;
    })
    .join('');
}

function convertClone(spec: GenerateSpec, { scope, path, isNamespaced }: Around): ConvertedGeneration {
  const { apiVersion = '', kind = '', name, namespace = '', clone } = spec;
  const from = clone?.namespace ?? '';
  if (name !== clone?.name) return refuse(`${path}.clone.name`, 'a clone with another name than its source');
  const [served] = servedKinds(`${apiVersion}/${kind}`, `${path}.kind`);
  if (served === undefined) return refuse(`${path}.kind`, 'the kind is not known');
  const [source, target, from_] = [name ?? '', namespace, from].map((text) => writeNested(text, scope, path));
  const at = isNamespaced ? '' : `${from_}, `;
  const get = `resource.Get(${quote(apiVersion)}, ${quote(served.resource)}, ${at}${source})`;
  return {
    generate: [
      { expression: applied(isNamespaced ? undefined : { target: target ?? '', from: from_ ?? '' }, `[${get}]`) },
    ],
    sources: [{ kind: served, namespace: from, name: name ?? '', labels: {} }],
  };
}

function convertCloneList(spec: GenerateSpec, { scope, path, isNamespaced }: Around): ConvertedGeneration {
  const { namespace = '', cloneList } = spec;
  const { kinds = [], selector } = cloneList ?? {};
  const from = cloneList?.namespace ?? '';
  if (selector?.matchExpressions?.length) return refuse(`${path}.cloneList.selector`, 'only matchLabels are converted');
  const labels = selector?.matchLabels ?? {};
  const [target = '', source = ''] = [namespace, from].map((text) => writeNested(text, scope, path));
  const served = kinds.map((kind, i) => oneKind(kind, `${path}.cloneList.kinds[${i}]`));
  const generate = served.map(({ group, version, resource }) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const at = isNamespaced ? '' : `, ${source}`;
    const wanted = Object.entries(labels).map(([key, value]) => `${quote(key)}: ${quote(value)}`);
    const list = `resource.List(${quote(apiVersion)}, ${quote(resource)}${at}${wanted.length > 0 ? `, {${wanted.join(', ')}}` : ''})`;
    return { expression: applied(isNamespaced ? undefined : { target, from: source }, `${list}.items`) };
  });
  return {
    generate,
    sources: served.flatMap((kind) => ['a', 'b'].map((name) => ({ kind, namespace: from, name, labels }))),
  };
}

function oneKind(selector: string, path: string): ServedKind {
  const { group } = parseKindSelector(selector) ?? { group: '*' };
  // Without a group a kind that several groups have is the one of the core.
  const served = servedKinds(selector, path);
  const found = served.find((one) => one.group === (group === '*' ? '' : group)) ?? served[0];
  return found ?? refuse(path, `${selector} is not known`);
}

/** Nothing is copied into the namespace that it is from. */
function applied(places: { readonly target: string; readonly from: string } | undefined, objects: string): string {
  if (places === undefined) return `generator.Apply(${objects})`;
  const { target, from } = places;
  const call = `generator.Apply(${target}, ${objects})`;
  const areTexts = [target, from].every((text) => /^'[^']*'$/.test(text));
  return areTexts && target !== from ? call : `${target} == ${from} || ${call}`;
}
