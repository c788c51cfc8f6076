import type { KubeObject } from '../../object/index.ts';
import { objectMetaSchema } from '../../schema/index.ts';
import type { Schema } from '../schema/index.ts';

const text: Schema = { type: 'string' };
const integer: Schema = { type: 'integer', format: 'int32' };
const texts: Schema = { type: 'object', additionalProperties: text };
const emptyStruct = { default: {} } as const;

const mapList = (item: Schema, ...keys: readonly string[]): Schema => ({
  type: 'array',
  items: item,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': keys,
});

const container: Schema = {
  type: 'object',
  definition: 'io.k8s.api.core.v1.Container',
  required: ['name'],
  properties: {
    name: { ...text, default: '' },
    image: text,
    args: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
    env: mapList({ type: 'object', properties: { name: text, value: text } }, 'name'),
    ports: mapList(
      {
        type: 'object',
        properties: { containerPort: integer, name: text, protocol: { ...text, default: 'TCP' } },
      },
      'containerPort',
      'protocol',
    ),
    resources: {
      type: 'object',
      definition: 'io.k8s.api.core.v1.ResourceRequirements',
      ...emptyStruct,
      properties: { limits: texts },
    },
  },
};

/** A built-in kind, cut down to what the tests speak of. */
export const deploymentSchema: Schema = {
  type: 'object',
  definition: 'io.k8s.api.apps.v1.Deployment',
  properties: {
    apiVersion: text,
    kind: text,
    metadata: { ...objectMetaSchema, definition: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', ...emptyStruct },
    spec: {
      type: 'object',
      definition: 'io.k8s.api.apps.v1.DeploymentSpec',
      ...emptyStruct,
      required: ['selector', 'template'],
      properties: {
        replicas: integer,
        paused: { type: 'boolean' },
        selector: { ...texts, 'x-kubernetes-map-type': 'atomic' },
        template: {
          type: 'object',
          definition: 'io.k8s.api.core.v1.PodTemplateSpec',
          ...emptyStruct,
          required: ['containers'],
          properties: {
            containers: mapList(container, 'name'),
            nodeSelector: { ...texts, 'x-kubernetes-map-type': 'atomic' },
          },
        },
      },
    },
    status: {
      type: 'object',
      definition: 'io.k8s.api.apps.v1.DeploymentStatus',
      ...emptyStruct,
      properties: { replicas: integer },
    },
  },
};

/** A custom resource: sets, granular maps, and a subtree of which the schema knows nothing. */
export const gadgetSchema: Schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        size: integer,
        tags: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
        options: texts,
        steps: { type: 'array', items: text },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};

export function deployment(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'default', ...metadata },
    spec,
  };
}

export function gadget(spec: object, metadata: object = {}): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'one', ...metadata }, spec };
}

export const containers = (...all: readonly object[]): object => ({ template: { containers: all } });
