import type { Schema } from '../../src/apiserver/schema/index.ts';
import type { KubeObject } from '../../src/object/index.ts';

/** Choices that are the same for the same seed. */
export interface Draw {
  one<T>(choices: readonly T[]): T;
  /** A random part, in random order. */
  some<T>(choices: readonly T[]): readonly T[];
  maybe(): boolean;
}

export function seeded(seed: number): Draw {
  let state = seed * 0x9e3779b1;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const draw: Draw = {
    one: (choices) => choices[Math.floor(next() * choices.length)]!,
    some: (choices) =>
      choices
        .filter(() => next() < 0.5)
        .map((choice) => ({ choice, order: next() }))
        .sort((a, b) => a.order - b.order)
        .map(({ choice }) => choice),
    maybe: () => next() < 0.5,
  };
  return draw;
}

const names = ['a', 'b', 'c', 'd'] as const;
const values = ['one', 'two', 'three'] as const;

/** Without the members that are undefined. */
const compact = <T extends object>(object: T): T => JSON.parse(JSON.stringify(object)) as T;

const maybe = <T>(draw: Draw, make: () => T): T | undefined => (draw.maybe() ? make() : undefined);

const someMap = (draw: Draw, make: () => unknown) => Object.fromEntries(draw.some(names).map((name) => [name, make()]));

export function drawDeployment(draw: Draw, name: string, isWhole: boolean): KubeObject {
  const chosen = isWhole ? ['a', ...draw.some(names).filter((each) => each !== 'a')] : draw.some(names);
  const podSpec = compact({
    containers:
      chosen.length > 0
        ? chosen.map((each) => drawContainer(draw, each, isWhole || draw.one([true, true, true, true, false])))
        : undefined,
    nodeSelector: maybe(draw, () => someMap(draw, () => draw.one(values))),
    tolerations: maybe(draw, () => [{ key: draw.one(names), operator: 'Exists' }]),
    terminationGracePeriodSeconds: maybe(draw, () => draw.one([10, 20])),
    imagePullSecrets: maybe(draw, () => draw.some(names).map((each) => ({ name: each }))),
    volumes: maybe(draw, () => draw.some(names).map((each) => ({ name: each, emptyDir: {} }))),
    securityContext: maybe(draw, () =>
      compact({ runAsUser: maybe(draw, () => draw.one([1, 2])), runAsNonRoot: maybe(draw, () => true) }),
    ),
  });
  const isSelecting = isWhole || draw.maybe();
  const labels = compact({
    app: isSelecting ? name : undefined,
    ...maybe(draw, () => someMap(draw, () => draw.one(values))),
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: compact({ name, ...drawMetadata(draw) }),
    spec: compact({
      replicas: maybe(draw, () => draw.one([0, 1, 2])),
      minReadySeconds: maybe(draw, () => draw.one([0, 5])),
      selector: isSelecting ? { matchLabels: { app: name } } : undefined,
      strategy: maybe(draw, () => draw.one([{ type: 'RollingUpdate' }, { rollingUpdate: { maxSurge: 1 } }, {}])),
      template: compact({
        metadata: maybe(draw, () => ({ labels })) ?? (isSelecting ? { labels } : undefined),
        spec: Object.keys(podSpec).length > 0 ? podSpec : undefined,
      }),
    }),
  } as unknown as KubeObject;
}

function drawMetadata(draw: Draw): object {
  return {
    labels: maybe(draw, () => someMap(draw, () => draw.one(values))),
    annotations: maybe(draw, () => someMap(draw, () => draw.one(values))),
    finalizers: maybe(draw, () => draw.some(names).map((each) => `example.com/${each}`)),
  };
}

function drawContainer(draw: Draw, name: string, hasImage: boolean): object {
  return compact({
    name,
    image: hasImage ? draw.one(['nginx:1', 'nginx:2']) : undefined,
    args: maybe(draw, () => draw.some(values)),
    env: maybe(draw, () => draw.some(names).map((each) => ({ name: each, value: draw.one(values) }))),
    ports: maybe(draw, () =>
      draw
        .some([80, 443, 53])
        .map((containerPort) =>
          compact({ containerPort, protocol: draw.one(['TCP', 'UDP', undefined]), name: undefined }),
        ),
    ),
    resources: maybe(draw, () => draw.one([{ limits: { cpu: '1' } }, { limits: { cpu: '2', memory: '1Gi' } }, {}])),
    volumeMounts: undefined,
    securityContext: maybe(draw, () => draw.one([{}, { privileged: true }, { capabilities: { add: ['A'] } }])),
  });
}

const text: Schema = { type: 'string' };

const item: Schema = {
  type: 'object',
  properties: {
    name: text,
    kind: { type: 'string', default: 'plain' },
    value: text,
    nested: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
    tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
  },
  required: ['name'],
};

/** One field of every type that ownership knows. */
export const gadgetSchema: Schema = {
  type: 'object',
  properties: {
    status: {
      type: 'object',
      properties: {
        replicas: { type: 'integer' },
        observedGeneration: { type: 'integer' },
        conditions: {
          type: 'array',
          items: { type: 'object', properties: { type: text, status: text }, required: ['type'] },
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
        },
      },
    },
    spec: {
      type: 'object',
      properties: {
        size: { type: 'integer' },
        title: text,
        port: { 'x-kubernetes-int-or-string': true },
        items: {
          type: 'array',
          items: item,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name', 'kind'],
        },
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        steps: { type: 'array', items: { type: 'object', properties: { run: text } } },
        options: { type: 'object', additionalProperties: text },
        groups: {
          type: 'object',
          additionalProperties: { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'integer' } } },
        },
        selector: { type: 'object', additionalProperties: text, 'x-kubernetes-map-type': 'atomic' },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        mixed: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: text, deep: { type: 'object', properties: { known: text } } },
        },
      },
    },
  },
};

export const gadgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.oracle.example' },
  spec: {
    group: 'oracle.example',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: gadgetSchema },
        subresources: { status: {} },
      },
    ],
  },
};

export function drawGadget(draw: Draw, name: string): KubeObject {
  return {
    apiVersion: 'oracle.example/v1',
    kind: 'Gadget',
    metadata: compact({ name, ...drawMetadata(draw) }),
    spec: compact({
      size: maybe(draw, () => draw.one([1, 2])),
      title: maybe(draw, () => draw.one(values)),
      port: maybe(draw, () => draw.one([80, 'http'])),
      items: maybe(draw, () => draw.some(names).map((each) => drawItem(draw, each))),
      tags: maybe(draw, () => draw.some(names)),
      steps: maybe(draw, () => draw.some(values).map((run) => ({ run }))),
      options: maybe(draw, () => someMap(draw, () => draw.one(values))),
      groups: maybe(draw, () => someMap(draw, () => draw.one([{ x: 1 }, { y: 1 }, { x: 2, y: 1 }, {}]))),
      selector: maybe(draw, () => someMap(draw, () => draw.one(values))),
      free: maybe(draw, () => someMap(draw, () => draw.one([1, 'text', [1, 2], { p: { q: 1 } }, { p: {} }]))),
      mixed: maybe(draw, () =>
        compact({
          known: maybe(draw, () => draw.one(values)),
          deep: maybe(draw, () => draw.one([{}, { known: 'x' }, { other: { z: 1 } }])),
          other: maybe(draw, () => draw.one([1, { z: [1] }])),
        }),
      ),
    }),
  } as unknown as KubeObject;
}

function drawItem(draw: Draw, name: string): object {
  return compact({
    name,
    kind: draw.one(['plain', 'other', undefined]),
    value: maybe(draw, () => draw.one(values)),
    nested: maybe(draw, () => draw.one([{ x: 1 }, { x: 2, y: 1 }, {}])),
    tags: maybe(draw, () => draw.some(names)),
  });
}

export function drawStatus(draw: Draw): object {
  return compact({
    replicas: maybe(draw, () => draw.one([0, 1, 2])),
    observedGeneration: maybe(draw, () => draw.one([1, 2])),
    conditions: maybe(draw, () =>
      draw.some(['Available', 'Progressing']).map((type) => ({ type, status: draw.one(['True', 'False']) })),
    ),
  });
}
