import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../object/index.ts';
import { FieldSet } from './field-set.ts';
import { managedFieldsProblem } from './managers.ts';
import { containers, deployment, deploymentSchema, gadget, gadgetSchema } from './schemas.fixture.ts';
import { ignoreManagedTimes, type UpdateOptions, updateManagedFields } from './update.ts';

const second = 1000;
const ignored = FieldSet.ofFields(['status']);

function write(after: KubeObject, manager: string, options: Partial<UpdateOptions> = {}): KubeObject {
  const base = { before: undefined, apiVersion: 'apps/v1', schema: deploymentSchema, ignored, now: 0 };
  return updateManagedFields({ ...base, after, manager, ...options });
}

const owners = (object: KubeObject) =>
  Object.fromEntries(
    (object.metadata.managedFields ?? []).map((entry) => [entry.manager, JSON.stringify(entry.fieldsV1)]),
  );

/** What a client sends: the object without managed fields. */
const sent = (object: KubeObject, spec: object): KubeObject => {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata, spec: { ...(object['spec'] as object), ...spec } };
};

describe('updateManagedFields', () => {
  it('leaves an object untracked that is nested deeper than the stack, and keeps it', () => {
    const text = `{"apiVersion":"v1","kind":"A","metadata":{},"spec":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`;
    const object = JSON.parse(text) as KubeObject;
    const stored = write(object, 'creator', { schema: undefined });
    expect(stored.metadata.managedFields).toBeUndefined();
    expect(stored['spec']).toBe(object['spec']);
  });

  const created = write(
    deployment({ replicas: 1, ...containers({ name: 'a', image: 'x' }) }, { labels: { app: 'web' }, uid: 'u' }),
    'creator',
  );

  it('gives a created object to its creator, as the real server writes it', () => {
    expect(created.metadata.managedFields).toEqual([
      {
        manager: 'creator',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '1970-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:template': {
              'f:containers': { 'k:{"name":"a"}': { '.': {}, 'f:image': {}, 'f:name': {}, 'f:resources': {} } },
            },
          },
        },
      },
    ]);
  });

  it('moves what a write changed to its manager', () => {
    const scaled = write(sent(created, { replicas: 2 }), 'scaler', { before: created, now: second });
    expect(owners(scaled)['scaler']).toBe('{"f:spec":{"f:replicas":{}}}');
    expect(owners(scaled)['creator']).not.toContain('replicas');
  });

  it('keeps entries that a write does not touch by identity', () => {
    const scaled = write(sent(created, { paused: true }), 'scaler', { before: created, now: second });
    const before = created.metadata.managedFields![0];
    expect(scaled.metadata.managedFields).toContain(before);
    expect(scaled.metadata.managedFields).toHaveLength(2);
  });

  it('drops managers that own nothing any more', () => {
    const scaled = write(sent(created, { paused: true }), 'scaler', { before: created });
    const taken = write(sent(scaled, { paused: false }), 'other', { before: scaled });
    expect(Object.keys(owners(taken))).toEqual(['creator', 'other']);
  });

  it('takes removed fields from everybody', () => {
    const without = {
      ...created,
      metadata: { name: 'web', namespace: 'default', uid: 'u' },
      spec: containers({ name: 'a', image: 'x' }),
    };
    const removed = write(without, 'remover', { before: created });
    expect(Object.keys(owners(removed))).toEqual(['creator']);
    expect(owners(removed)['creator']).not.toContain('labels');
    expect(owners(removed)['creator']).not.toContain('replicas');
  });

  it('changes the time of an entry only when its manager changed something', () => {
    const same = write(sent(created, {}), 'creator', { before: created, after: { ...created }, now: 5 * second });
    expect(same.metadata.managedFields?.[0]?.time).toBe('1970-01-01T00:00:00Z');
    const changed = write(sent(created, { replicas: 3 }), 'creator', { before: created, now: 5 * second });
    expect(changed.metadata.managedFields?.[0]?.time).toBe('1970-01-01T00:00:05Z');
  });

  it('never tracks what names the object or belongs to the server', () => {
    const after = { ...created, metadata: { ...created.metadata, resourceVersion: '7', generation: 3, uid: 'v' } };
    expect(write(after, 'server', { before: created })).toBe(after);
  });

  it('ignores the fields that this way of writing cannot change', () => {
    const after = { ...created, status: { replicas: 3 } };
    expect(owners(write(after, 'kubelet', { before: created }))).toEqual(owners(created));
    const status = write(after, 'kubelet', {
      before: created,
      subresource: 'status',
      ignored: FieldSet.ofFields(['spec']),
    });
    expect(status.metadata.managedFields?.[1]).toMatchObject({
      subresource: 'status',
      fieldsV1: { 'f:status': { 'f:replicas': {} } },
    });
  });

  it.each([[[]], [[{}]]])('stops tracking an object whose managed fields are reset with %j', (managedFields) => {
    const reset = { ...created, metadata: { ...created.metadata, managedFields } } as KubeObject;
    const stored = write(reset, 'creator', { before: created });
    expect('managedFields' in stored.metadata).toBe(false);
    expect('managedFields' in write(sent(stored, { replicas: 9 }), 'scaler', { before: stored }).metadata).toBe(false);
  });

  it('honours valid managed fields that a client sends and falls back on the stored ones otherwise', () => {
    const claim = (entry: object) =>
      ({ ...created, metadata: { ...created.metadata, managedFields: [entry] } }) as KubeObject;
    const entry = { ...created.metadata.managedFields![0]!, manager: 'new' };
    expect(Object.keys(owners(write(claim(entry), 'x', { before: created })))).toEqual(['new']);
    expect(Object.keys(owners(write(claim({ ...entry, operation: 'Steal' }), 'x', { before: created })))).toEqual([
      'creator',
    ]);
    expect(Object.keys(owners(write(claim({ ...entry, fieldsV1: { bad: {} } }), 'x', { before: created })))).toEqual([
      'creator',
    ]);
    expect(Object.keys(owners(write(claim(entry), 'x', { before: created, subresource: 'status' })))).toEqual([
      'creator',
    ]);
  });

  it('merges the oldest of more than ten updaters into one', () => {
    let object = created;
    for (let i = 1; i <= 12; i++) {
      const after = {
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, [`l${i}`]: 'x' } },
      };
      object = write(after, `updater-${i}`, { before: object, now: i * second });
    }
    const names = object.metadata.managedFields!.map(({ manager }) => manager);
    expect(names).toHaveLength(10);
    expect(names[0]).toBe('ancient-changes');
    expect(owners(object)['ancient-changes']).toContain('f:l3');
    expect(names.at(-1)).toBe('updater-12');
  });

  it('drops the managed fields of an object that cannot be tracked', () => {
    const after = sent(created, containers({ name: 'a', env: [{ value: 'no name' }] }));
    expect('managedFields' in write(after, 'x', { before: created }).metadata).toBe(false);
  });

  it('owns every level of a custom resource', () => {
    const made = write(gadget({ tags: ['a'] }), 'x', { schema: gadgetSchema, apiVersion: 'example.com/v1' });
    expect(owners(made)['x']).toBe('{"f:spec":{".":{},"f:tags":{".":{},"v:\\"a\\"":{}}}}');
  });

  it('forgets managers of versions that are served no more', () => {
    const options = { before: created, apiVersion: 'apps/v2', convert: () => undefined };
    expect(Object.keys(owners(write(sent(created, { paused: true }), 'x', options)))).toEqual(['x']);
  });

  it('never changes its inputs', () => {
    const [before, after] = [JSON.stringify(created), sent(created, { replicas: 2 })];
    const afterText = JSON.stringify(after);
    write(after, 'scaler', { before: created });
    expect([JSON.stringify(created), JSON.stringify(after)]).toEqual([before, afterText]);
  });
});

describe('ignoreManagedTimes', () => {
  const stored = write(deployment({ replicas: 1 }), 'x');
  const later = {
    ...stored,
    metadata: { ...stored.metadata, managedFields: [{ ...stored.metadata.managedFields![0]!, time: 'later' }] },
  };

  it('returns the stored object when only times differ', () => {
    expect(ignoreManagedTimes(stored, later)).toBe(stored);
  });

  it('returns the new object when anything else differs', () => {
    const changed = { ...later, spec: { replicas: 2 } };
    expect(ignoreManagedTimes(stored, changed)).toBe(changed);
  });
});

describe('managedFieldsProblem', () => {
  it.each([
    [undefined, undefined],
    [[{ operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }], undefined],
    [[{}], 'operation must be `Apply` or `Update`'],
    [[{ operation: 'Update' }], 'apiVersion must not be empty'],
    [[{ operation: 'Update', apiVersion: 'v1' }], 'missing fieldsType in managed fields entry 0'],
    [
      [{ operation: 'Update', apiVersion: 'v1', fieldsType: 'V2' }],
      'invalid fieldsType "V2" in managed fields entry 0',
    ],
  ])('of %j is %j', (entries, problem) => {
    expect(managedFieldsProblem(entries)).toBe(problem);
  });
});
