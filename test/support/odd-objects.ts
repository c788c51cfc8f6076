/** Objects as nobody writes them and an API server may accept: generated, as the texts that are sent. */
import fc from 'fast-check';

/** 300 in CI; SUPERCARGO_FUZZ_OBJECTS=10000 by hand. */
export const oddObjectCount = Number(process.env['SUPERCARGO_FUZZ_OBJECTS'] ?? 300);

export interface OddObject {
  readonly kind: string;
  readonly name: string;
  /** Of its collection. */
  readonly path: string;
  readonly text: string;
}

export const oddNamespace = 'odd';
export const widgetGroup = 'odd.example.com';

/** A kind whose spec takes anything. */
export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${widgetGroup}` },
  spec: {
    group: widgetGroup,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        },
      },
    ],
  },
};

const member = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', 'then', 'a', 'b.c');
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('', '{{ request.object }}', '$(a)', '\u0000', '\u2028', '\ufeff', 'true', '1e3', '*', '<(a)'),
  fc.integer({ min: 1_000, max: 60_000 }).map((length) => 'x'.repeat(length)),
);
const texts = fc.dictionary(member, text, { noNullPrototype: true }).map((map) => JSON.stringify(map));
const labels = fc.dictionary(
  fc.constantFrom('constructor', 'toString', 'valueOf', 'a.b/constructor'),
  fc.constantFrom('', 'x', 'a_b', '1'),
  { noNullPrototype: true },
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-1', '9007199254740993', '9223372036854775807', '-9223372036854775808', '1.0', '1e3', '0.1'),
  fc.constantFrom('9223372036854775808', '1e400', '123456789012345678901234567890'),
);

/** JSON as text: keys, numbers and depths that a value of JavaScript would lose. */
const { tree } = fc.letrec<{ readonly tree: string; readonly leaf: string }>((tie) => ({
  leaf: fc.oneof(
    text.map((value) => JSON.stringify(value)),
    number,
    fc.constantFrom('null', 'true', 'false', '{}', '[]'),
  ),
  tree: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.array(tie('tree'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(member, tie('tree')), { selector: ([key]) => key, maxLength: 3 })
      .map((fields) => `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
  ),
}));
const deep = fc
  .tuple(fc.constantFrom(20, 150, 600, 2_000, 5_000, 9_000), fc.boolean())
  .map(([levels, isList]) =>
    isList ? `${'['.repeat(levels)}${']'.repeat(levels)}` : `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`,
  );

const images = fc.constantFrom(
  'nginx',
  'registry.example:5000/a/b:1',
  'UPPER/case',
  'a b',
  '@',
  'x:y:z',
  'constructor',
);
const podSpec = fc.tuple(images, texts, text).map(
  ([image, options, value]) => `{
    "containers":[{"name":"a","image":${JSON.stringify(image)},"env":[{"name":"A","value":${JSON.stringify(value)}}]}],
    "volumes":[{"name":"v","flexVolume":{"driver":"a/b","options":${options}}}]}`,
);

type Made = Omit<OddObject, 'name' | 'text'> & { readonly render: (metadata: string) => string };
const core = `/api/v1/namespaces/${oddNamespace}`;
const objects = fc.oneof(
  texts.map(
    (data): Made => ({
      kind: 'ConfigMap',
      path: `${core}/configmaps`,
      render: (metadata) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata},"data":${data}}`,
    }),
  ),
  podSpec.map(
    (spec): Made => ({
      kind: 'Pod',
      path: `${core}/pods`,
      render: (metadata) => `{"apiVersion":"v1","kind":"Pod","metadata":${metadata},"spec":${spec}}`,
    }),
  ),
  podSpec.map(
    (spec): Made => ({
      kind: 'Deployment',
      path: `/apis/apps/v1/namespaces/${oddNamespace}/deployments`,
      render: (metadata) => `{"apiVersion":"apps/v1","kind":"Deployment","metadata":${metadata},
      "spec":{"replicas":0,"selector":{"matchLabels":{"app":"a"}},
      "template":{"metadata":{"labels":{"app":"a"}},"spec":${spec}}}}`,
    }),
  ),
  fc.oneof({ arbitrary: tree, weight: 3 }, { arbitrary: deep, weight: 1 }).map(
    (value): Made => ({
      kind: 'Widget',
      path: `/apis/${widgetGroup}/v1/namespaces/${oddNamespace}/widgets`,
      render: (metadata) =>
        `{"apiVersion":"${widgetGroup}/v1","kind":"Widget","metadata":${metadata},"spec":{"value":${value}}}`,
    }),
  ),
);

/** Always the same for the same count. */
export function oddObjects(count = oddObjectCount): readonly OddObject[] {
  return fc.sample(fc.tuple(objects, labels), count).map(([{ kind, path, render }, given], i) => {
    const name = `odd-${i}`;
    return { kind, name, path, text: render(JSON.stringify({ name, namespace: oddNamespace, labels: given })) };
  });
}
