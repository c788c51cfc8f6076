import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';

const specSchema = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties: { spec: { type: 'object', properties, ...(required.length > 0 ? { required } : {}) } },
});

export function defineCrdSchemas(fixture: Fixture): void {
  const prepared = async (schema: object, version: object = {}) => {
    const defined = await defineWidgets(fixture, { schema, version });
    return { ...defined, collection: defined.path(await fixture.namespace()) };
  };

  it('fills in defaults of the schema, also on reading', async () => {
    const { group, collection, definitionPath } = await prepared(
      specSchema({
        size: { type: 'integer', default: 3 },
        nested: { type: 'object', default: {}, properties: { deep: { type: 'string', default: 'x' } } },
        list: { type: 'array', items: { type: 'object', properties: { on: { type: 'boolean', default: true } } } },
      }),
    );
    const made = await expectCode(
      fixture.api.post(collection, widget(group, 'a', { spec: { list: [{}, { on: false }] } })),
      201,
    );
    expect(made.spec).toEqual({ size: 3, nested: { deep: 'x' }, list: [{ on: true }, { on: false }] });
    const bare = await expectCode(fixture.api.post(collection, widget(group, 'b')), 201);
    expect(bare.spec).toBeUndefined();
    const patch = [
      {
        op: 'add',
        path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/late',
        value: { type: 'string', default: 'l' },
      },
    ];
    await expectCode(fixture.api.patch(definitionPath, patch, 'json'), 200);
    await eventually(async () => {
      expect((await expectCode(fixture.api.get(`${collection}/a`), 200)).spec['late']).toBe('l');
    });
  });

  it('replaces null by the default where the schema does not allow null', async () => {
    const { group, collection } = await prepared(
      specSchema({ a: { type: 'string', default: 'd' }, b: { type: 'string', nullable: true, default: 'd' } }),
    );
    const made = await expectCode(
      fixture.api.post(collection, widget(group, 'a', { spec: { a: null, b: null } })),
      201,
    );
    expect(made.spec).toEqual({ a: 'd', b: null });
  });

  it('prunes what the schema does not know, and warns', async () => {
    const { group, collection } = await prepared(specSchema({ known: { type: 'string' } }));
    const object = widget(group, 'a', { spec: { known: 'k', unknown: 1 }, other: true });
    const answer = await fixture.api.post(collection, object);
    const body = await expectCode(answer, 201);
    expect(body.spec).toEqual({ known: 'k' });
    expect(body['other']).toBeUndefined();
    expect([...answer.warnings].sort()).toEqual(['unknown field "other"', 'unknown field "spec.unknown"']);
  });

  it('refuses what the schema does not know under fieldValidation=Strict', async () => {
    const { group, collection } = await prepared(specSchema({ known: { type: 'string' } }));
    const object = widget(group, 'a', { spec: { unknown: 1 } });
    const body = await expectFailure(
      fixture.api.post(`${collection}?fieldValidation=Strict`, object),
      400,
      'BadRequest',
    );
    expect(body.message).toContain('strict decoding error: unknown field "spec.unknown"');
  });

  it('keeps unknown fields where the schema says so', async () => {
    const { group, collection } = await prepared(
      specSchema({
        open: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { in: { type: 'object', properties: {} } },
        },
      }),
    );
    const spec = { open: { any: { thing: 1 }, in: { gone: 1 } } };
    const body = await expectCode(fixture.api.post(collection, widget(group, 'a', { spec })), 201);
    expect(body.spec).toEqual({ open: { any: { thing: 1 }, in: {} } });
  });

  it('says for every violation of the schema what is wrong and where', async () => {
    const { group, collection } = await prepared(
      specSchema(
        {
          must: { type: 'string' },
          size: { type: 'integer', minimum: 1, maximum: 5 },
          color: { type: 'string', enum: ['red', 'blue'] },
          code: { type: 'string', pattern: '^[a-z]+$', maxLength: 3 },
          list: { type: 'array', maxItems: 1, items: { type: 'string' } },
          flag: { type: 'boolean' },
        },
        ['must'],
      ),
    );
    const spec = { size: 9, color: 'green', code: 'ABCD', list: ['a', 'b'], flag: 'yes' };
    const body = await expectFailure(fixture.api.post(collection, widget(group, 'a', { spec })), 422, 'Invalid');
    const causes = body.details.causes.map(({ field, reason, message }) => `${field} | ${reason} | ${message}`).sort();
    expect(causes).toEqual([
      'spec.code | FieldValueTooLong | Too long: may not be more than 3 bytes',
      'spec.color | FieldValueNotSupported | Unsupported value: "green": supported values: "red", "blue"',
      'spec.flag | FieldValueTypeInvalid | Invalid value: "string": spec.flag in body must be of type boolean: "string"',
      'spec.list | FieldValueTooMany | Too many: 2: must have at most 1 item',
      'spec.must | FieldValueRequired | Required value',
      'spec.size | FieldValueInvalid | Invalid value: 9: spec.size in body should be less than or equal to 5',
    ]);
    expect(body.details).toMatchObject({ name: 'a', group, kind: 'Widget' });
    expect(body.message).toMatch(new RegExp(`^Widget.${group} "a" is invalid: \\[`));
  });

  it('checks rules in CEL, on a change also against the old object', async () => {
    const { group, collection } = await prepared(
      specSchema({
        min: { type: 'integer' },
        max: { type: 'integer' },
        fixed: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'is fixed' }] },
      }),
      {},
    );
    await expectCode(fixture.api.post(collection, widget(group, 'a', { spec: { fixed: 'f' } })), 201);
    const body = await expectFailure(
      fixture.api.patch(`${collection}/a`, { spec: { fixed: 'g' } }, 'merge'),
      422,
      'Invalid',
    );
    expect(body.details.causes).toEqual([
      { reason: 'FieldValueInvalid', message: 'Invalid value: "g": is fixed', field: 'spec.fixed' },
    ]);
  });

  it('applies custom resources by the list types of their schema', async () => {
    const { group, collection } = await prepared(
      specSchema({
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, port: { type: 'integer' } },
          },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      }),
    );
    const apply = (manager: string, spec: object) =>
      fixture.api.patch(`${collection}/a?fieldManager=${manager}`, widget(group, 'a', { spec }), 'apply');
    await expectCode(apply('one', { ports: [{ name: 'x', port: 1 }], tags: ['t'] }), 201);
    const body = await expectCode(apply('two', { ports: [{ name: 'y', port: 2 }], tags: ['u'] }), 200);
    expect(body.spec).toEqual({
      ports: [
        { name: 'x', port: 1 },
        { name: 'y', port: 2 },
      ],
      tags: ['t', 'u'],
    });
    expect(body.metadata.managedFields.find(({ manager }) => manager === 'two')?.['fieldsV1']).toEqual({
      'f:spec': {
        'f:ports': { 'k:{"name":"y"}': { '.': {}, 'f:name': {}, 'f:port': {} } },
        'f:tags': { 'v:"u"': {} },
      },
    });
  });

  it('refuses repeated members of a set', async () => {
    const { group, collection } = await prepared(
      specSchema({ tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } } }),
    );
    const body = await expectFailure(
      fixture.api.post(collection, widget(group, 'a', { spec: { tags: ['t', 't'] } })),
      422,
      'Invalid',
    );
    expect(body.details.causes).toEqual([
      { reason: 'FieldValueDuplicate', message: 'Duplicate value: "t"', field: 'spec.tags[1]' },
    ]);
  });
}
