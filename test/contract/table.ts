import { expect, it } from 'vitest';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, type Fixture } from './fixture.ts';
import { configMap, deployment, pod } from './objects.ts';

const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly type: string; readonly priority: number }[];
  readonly rows: readonly {
    readonly cells: readonly unknown[];
    readonly object: { readonly kind: string; readonly metadata: { readonly name: string } };
  }[];
}

const asTable = (body: unknown) => body as Table;

export function defineTables(fixture: Fixture): void {
  const table = async (path: string) => {
    const body = await expectCode(fixture.api.get(path, { accept }), 200);
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    return asTable(body);
  };
  const columns = ({ columnDefinitions }: Table) =>
    columnDefinitions.map(({ name, priority }) => (priority === 0 ? name : `${name}+`));

  it('prints a list of ConfigMaps', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    await expectCode(fixture.api.post(path, configMap('a', { k: 'v', l: 'w' }, { labels: { x: 'y' } })), 201);
    const printed = await table(`${path}?labelSelector=x%3Dy`);
    expect(columns(printed)).toEqual(['Name', 'Data', 'Age']);
    expect(printed.rows.map(({ cells }) => cells)).toEqual([['a', 2, expect.stringMatching(/^\d+s$/)]]);
  });

  it('puts the metadata of each object into its row, or the object, or nothing, as asked', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    expect((await table(`${path}/a`)).rows[0]?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a' },
    });
    expect((await table(`${path}/a?includeObject=Object`)).rows[0]?.object).toMatchObject({ kind: 'ConfigMap' });
    expect((await table(`${path}/a?includeObject=None`)).rows[0]?.object).toBeNull();
  });

  it('prints pods with readiness, phase and restarts', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/pods`;
    await expectCode(fixture.api.post(path, pod('a')), 201);
    const printed = await table(path);
    expect(columns(printed)).toEqual([
      'Name',
      'Ready',
      'Status',
      'Restarts',
      'Age',
      'IP+',
      'Node+',
      'Nominated Node+',
      'Readiness Gates+',
    ]);
    expect(printed.rows[0]?.cells.slice(0, 4)).toEqual(['a', '0/1', 'Pending', '0']);
    expect(printed.rows[0]?.cells.slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>']);
  });

  it('prints Deployments with images and selector', async () => {
    const path = `/apis/apps/v1/namespaces/${await fixture.namespace()}/deployments`;
    await expectCode(fixture.api.post(path, deployment('a')), 201);
    const printed = await table(path);
    expect(columns(printed)).toEqual([
      'Name',
      'Ready',
      'Up-to-date',
      'Available',
      'Age',
      'Containers+',
      'Images+',
      'Selector+',
    ]);
    expect(printed.rows[0]?.cells).toEqual([
      'a',
      '0/0',
      0,
      0,
      expect.stringMatching(/^\d+s$/),
      'main',
      'registry.test/app:1',
      'app=a',
    ]);
  });

  it('prints custom resources with name and age unless the definition names columns', async () => {
    const { group, path } = await defineWidgets(fixture);
    const collection = path(await fixture.namespace());
    await expectCode(fixture.api.post(collection, widget(group, 'a')), 201);
    const printed = await table(collection);
    expect(columns(printed)).toEqual(['Name', 'Age']);
    expect(printed.rows[0]?.cells[0]).toBe('a');
  });

  it('prints the columns that a definition names, with nothing for what is absent', async () => {
    const additionalPrinterColumns = [
      { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
      { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
      { name: 'Wide', type: 'string', jsonPath: '.spec.wide', priority: 1, description: 'more' },
      { name: 'Made', type: 'date', jsonPath: '.metadata.creationTimestamp' },
    ];
    const { group, path } = await defineWidgets(fixture, { version: { additionalPrinterColumns } });
    const collection = path(await fixture.namespace());
    const status = {
      conditions: [
        { type: 'Other', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
    };
    await expectCode(fixture.api.post(collection, widget(group, 'a', { spec: { size: 3, wide: 'w' }, status })), 201);
    await expectCode(fixture.api.post(collection, widget(group, 'b')), 201);
    const printed = await table(collection);
    expect(columns(printed)).toEqual(['Name', 'Size', 'Ready', 'Wide+', 'Made']);
    expect(printed.columnDefinitions.map(({ type }) => type)).toEqual([
      'string',
      'integer',
      'string',
      'string',
      'date',
    ]);
    expect(printed.rows.map(({ cells }) => cells.slice(0, 4))).toEqual([
      ['a', 3, 'True', 'w'],
      ['b', null, null, null],
    ]);
    expect(printed.rows[0]?.cells[4]).toMatch(/^\d+s$/);
  });

  it('carries the paging of a list', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
    for (const name of ['a', 'b', 'c']) await expectCode(fixture.api.post(path, { metadata: { name } }), 201);
    const body = await expectCode(fixture.api.get(`${path}?limit=2`, { accept }), 200);
    expect(asTable(body).rows).toHaveLength(2);
    expect(body.metadata.remainingItemCount).toBe(1);
    expect(body.metadata.continue).toBeTypeOf('string');
  });

  it('watches as tables, with the columns in the first event only', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/secrets`;
    const stream = await fixture.watch(path, { accept });
    for (const name of ['a', 'b']) await expectCode(fixture.api.post(path, { metadata: { name } }), 201);
    const [first, second] = [await stream.next(), await stream.next()];
    expect(first).toMatchObject({
      type: 'ADDED',
      object: { kind: 'Table', rows: [{ cells: ['a', 'Opaque', 0, expect.any(String)] }] },
    });
    expect(columns(asTable(first.object))).toEqual(['Name', 'Type', 'Data', 'Age']);
    expect(second.object).toMatchObject({ kind: 'Table', rows: [{ cells: ['b', 'Opaque', 0, expect.any(String)] }] });
    expect(asTable(second.object).columnDefinitions ?? []).toEqual([]);
  });

  it('responds with the object itself if the client prefers it', async () => {
    const path = `/api/v1/namespaces/${await fixture.namespace()}/configmaps`;
    await expectCode(fixture.api.post(path, configMap('a')), 201);
    const body = await expectCode(fixture.api.get(`${path}/a`, { accept: `application/json,${accept}` }), 200);
    expect(body.kind).toBe('ConfigMap');
  });
}
