import { expect } from 'vitest';
import { eventually } from '../support/wait.ts';
import { expectCode, type Fixture } from './fixture.ts';
import { type CrdOptions, crd } from './objects.ts';

export interface Defined {
  readonly group: string;
  readonly definitionPath: string;
  /** The collection of a version in a namespace, or of the whole cluster. */
  path(namespace?: string, version?: string): string;
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Creates a definition of Widgets in a group of its own and waits until they are served. */
export async function defineWidgets(fixture: Fixture, options: Partial<CrdOptions> = {}): Promise<Defined> {
  const group = `${fixture.unique('crd')}.test`;
  const definition = crd({ group, plural: 'widgets', kind: 'Widget', ...options });
  const definitionPath = `${definitions}/${definition.metadata.name}`;
  await expectCode(fixture.api.post(definitions, definition), 201);
  const path = (namespace?: string, version = 'v1') =>
    `/apis/${group}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/widgets`;
  await eventually(async () => {
    const body = await expectCode(fixture.api.get(definitionPath), 200);
    expect(body['status']).toMatchObject({
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
    });
    const versions = definition.spec.versions as readonly { readonly name: string; readonly served: boolean }[];
    for (const { name, served } of versions) if (served) await expectCode(fixture.api.get(path(undefined, name)), 200);
  });
  return { group, definitionPath, path };
}

export const widget = (group: string, name: string, rest: object = {}, metadata: object = {}) => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name, ...metadata },
  ...rest,
});
