import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { jsonPatch } from '../support/webhook-server.ts';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, pod } from './objects.ts';
import { binding, inNamespace, namespaceForPolicies, registration } from './policy-fixture.ts';
import { configMapRule, installHook } from './webhook-fixture.ts';

const policies = `${registration}/mutatingadmissionpolicies`;
const bindings = `${registration}/mutatingadmissionpolicybindings`;
const rule = { ...configMapRule, operations: ['CREATE', 'UPDATE'] };

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });
const label = (key: string, value = '"yes"') => `Object{metadata: Object.metadata{labels: {"${key}": ${value}}}}`;

interface MutationOptions {
  readonly name?: string;
  readonly spec?: object;
  readonly rules?: readonly object[];
  readonly mutations: readonly object[];
  readonly bindings?: readonly object[];
}

export function defineMutatingPolicies(fixture: Fixture): void {
  /** Puts a policy in force in one namespace and waits until it changes ConfigMaps called `probe`. */
  const install = async (namespace: string, { spec, mutations, rules = [], ...options }: MutationOptions) => {
    const name = options.name ?? fixture.unique('mutation');
    const probed = `object.metadata.name == "probe" ? ${label(name)} : Object{}`;
    await expectCode(
      fixture.api.post(policies, {
        metadata: { name },
        spec: {
          reinvocationPolicy: 'Never',
          matchConstraints: { resourceRules: [rule, ...rules], namespaceSelector: inNamespace(namespace) },
          mutations: [apply(probed), ...mutations],
          ...spec,
        },
      }),
      201,
    );
    for (const [i, more] of (options.bindings ?? [{}]).entries()) {
      const object = binding(`${name}-${i}`, name, namespace, { validationActions: undefined, ...more });
      await expectCode(fixture.api.post(bindings, object), 201);
    }
    await eventually(async () => {
      const answer = await fixture.api.post(
        `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`,
        configMap('probe'),
      );
      expect(answer.text).toContain(name);
    });
    return name;
  };
  const prepared = async (options: MutationOptions) => {
    const place = await namespaceForPolicies(fixture);
    return { ...place, name: await install(place.namespace, options) };
  };
  const notProbe = (expression: string, otherwise: string) =>
    `object.metadata.name == "probe" ? ${otherwise} : ${expression}`;

  it('merges an apply configuration into the object', async () => {
    const { post } = await prepared({
      mutations: [
        apply(`Object{metadata: Object.metadata{labels: {"made": "by-" + object.metadata.name}}, data: {"k": "v"}}`),
      ],
    });
    const body = await expectCode(post('a', { own: '1' }, { labels: { given: 'yes' } }), 201);
    expect(body.metadata.labels).toEqual({ given: 'yes', made: 'by-a' });
    expect(body['data']).toEqual({ own: '1', k: 'v' });
  });

  it('merges lists by the keys of their schema, and fills in defaults', async () => {
    const { namespace } = await prepared({
      rules: [{ ...rule, resources: ['pods'] }],
      mutations: [
        apply(
          notProbe(
            `Object{spec: Object.spec{
              containers: object.spec.containers.map(c, Object.spec.containers{name: c.name, imagePullPolicy: "Always"}),
              initContainers: [Object.spec.initContainers{name: "first", image: "registry.test/first:1"}]}}`,
            'Object{}',
          ).replace('object.metadata.name == "probe"', 'object.kind != "Pod"'),
        ),
      ],
    });
    const body = await expectCode(fixture.api.post(`/api/v1/namespaces/${namespace}/pods`, pod('a')), 201);
    expect(body.spec).toMatchObject({
      containers: [{ name: 'main', image: 'registry.test/app:1', imagePullPolicy: 'Always' }],
      initContainers: [
        { name: 'first', imagePullPolicy: 'IfNotPresent', terminationMessagePath: '/dev/termination-log' },
      ],
    });
  });

  it('applies JSON patches, and none of one whose test fails', async () => {
    const { post } = await prepared({
      mutations: [
        patch(`[JSONPatch{op: "add", path: "/metadata/annotations", value: {}},
          JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey("a/b"), value: "x"}]`),
        patch(`[JSONPatch{op: "add", path: "/data", value: {"never": "here"}},
          JSONPatch{op: "test", path: "/kind", value: "Other"}]`),
      ],
    });
    const body = await expectCode(post('a'), 201);
    expect(body.metadata.annotations).toEqual({ 'a/b': 'x' });
    expect(body['data']).toBeUndefined();
  });

  it('shows each mutation what those before it made, with variables, params and the namespace', async () => {
    const place = await namespaceForPolicies(fixture);
    await expectCode(place.post('settings', { suffix: 's' }), 201);
    await install(place.namespace, {
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        variables: [{ name: 'count', expression: 'has(object.data) ? object.data.size() : 0' }],
      },
      mutations: [
        apply('Object{data: {"one": string(variables.count) + params.data.suffix}}'),
        apply(
          'Object{data: {"two": string(variables.count) + namespaceObject.metadata.name.substring(0, 1) + request.operation}}',
        ),
      ],
      bindings: [{ paramRef: { name: 'settings', parameterNotFoundAction: 'Deny' } }],
    });
    const body = await expectCode(place.post('a'), 201);
    expect(body['data']).toEqual({ one: '0s', two: '1cCREATE' });
  });

  it('passes over what does not meet the match conditions, and deletions', async () => {
    const matchConditions = [{ name: 'wanted', expression: 'object.metadata.name != "free"' }];
    const { path, post } = await prepared({ spec: { matchConditions }, mutations: [apply(label('seen'))] });
    expect((await expectCode(post('a'), 201)).metadata.labels).toEqual({ seen: 'yes' });
    expect((await expectCode(post('free'), 201)).metadata.labels).toBeUndefined();
    await expectCode(fixture.api.patch(`${path}/a`, { metadata: { labels: null } }, 'merge'), 200);
    expect((await expectCode(fixture.api.get(`${path}/a`), 200)).metadata.labels).toEqual({ seen: 'yes' });
    await expectCode(fixture.api.delete(`${path}/a`), 200);
  });

  it('mutates custom resources', async () => {
    const schema = {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: { type: 'integer' },
            items: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: {
                type: 'object',
                required: ['name'],
                properties: { name: { type: 'string' }, on: { type: 'boolean', default: false } },
              },
            },
          },
        },
      },
    };
    const { group, path } = await defineWidgets(fixture, { schema });
    const { namespace } = await prepared({
      rules: [{ ...rule, apiGroups: [group], resources: ['widgets'] }],
      mutations: [
        apply(
          `object.kind != "Widget" ? Object{} : Object{spec: Object.spec{size: object.spec.size + 1,
            items: [Object.spec.items{name: "a", on: true}, Object.spec.items{name: "b"}]}}`,
        ),
      ],
    });
    const collection = path(namespace);
    let body = await fixture.api.post(collection, widget(group, 'x', { spec: { size: 1, items: [{ name: 'a' }] } }));
    await eventually(async () => {
      // The server learns of the schema of a new kind after it serves it.
      if (body.status !== 201) {
        body = await fixture.api.post(collection, widget(group, 'x', { spec: { size: 1, items: [{ name: 'a' }] } }));
      }
      await expectCode(body, 201);
    });
    expect(body.body.spec).toEqual({
      size: 2,
      items: [
        { name: 'a', on: true },
        { name: 'b', on: false },
      ],
    });
  });

  it('refuses what cannot be applied, with the names of policy and binding', async () => {
    const { name, post } = await prepared({
      mutations: [
        apply(notProbe('Object{data: Object.wrong{}}', 'Object{}')),
        patch(notProbe('[JSONPatch{op: "remove", path: "/data/none"}]', '[]')),
      ],
    });
    const body = await expectFailure(post('a'), 403, 'Invalid');
    const head = `policy '${name}' with binding '${name}-0' denied request: `;
    expect(body.message).toBe(
      `${head}type mismatch: unexpected type name "Object.wrong", expected "Object.data", which matches field name path from root Object type`,
    );
    expect(body.details).toMatchObject({
      name: 'a',
      kind: 'configmaps',
      causes: [{ message: body.message }, { message: expect.stringContaining(`${head}JSON Patch: `) }],
    });
  });

  it('refuses atomic lists and unknown fields in an apply configuration', async () => {
    const { namespace } = await prepared({
      rules: [{ ...rule, resources: ['pods'] }],
      mutations: [
        apply(
          `object.kind != "Pod" ? Object{} : object.metadata.name == "atomic"
            ? Object{spec: Object.spec{tolerations: [Object.spec.tolerations{key: "k"}]}}
            : Object{spec: Object.spec{unknown: 1}}`,
        ),
      ],
    });
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    expect((await expectFailure(fixture.api.post(pods, pod('atomic')), 403, 'Invalid')).message).toContain(
      'denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.tolerations',
    );
    expect((await expectFailure(fixture.api.post(pods, pod('unknown')), 403, 'Invalid')).message).toContain(
      '.spec.unknown: field not declared in schema',
    );
  });

  it('lets errors pass under the failure policy Ignore, with what was changed before them', async () => {
    const { post } = await prepared({
      spec: { failurePolicy: 'Ignore' },
      mutations: [
        apply(label('before')),
        apply('Object{data: {"k": string(object.data.missing)}}'),
        apply(label('after')),
      ],
    });
    const body = await expectCode(post('a'), 201);
    expect(body.metadata.labels).toEqual({ before: 'yes', after: 'yes' });
  });

  it('refuses on errors of expressions and conditions and of the configuration', async () => {
    const failing = await prepared({
      mutations: [apply(notProbe('Object{data: {"k": string(object.data.missing)}}', 'Object{}'))],
    });
    expect((await expectFailure(failing.post('a', { k: 'v' }), 403, 'Invalid')).message).toContain(
      'resulted in error: no such key: missing',
    );
    const condition = 'object.metadata.name == "probe" || object.data.missing == "x"';
    const conditional = await prepared({
      spec: { matchConditions: [{ name: 'c', expression: condition }] },
      mutations: [apply(label('x'))],
    });
    expect((await expectFailure(conditional.post('a', { k: 'v' }), 403, 'Invalid')).message).toBe(
      `policy '${conditional.name}' with binding '${conditional.name}-0' denied request: expression '${condition}' resulted in error: no such key: missing`,
    );
    const place = await namespaceForPolicies(fixture);
    const name = await install(place.namespace, {
      spec: { paramKind: { apiVersion: 'nobody.test/v1', kind: 'Limit' } },
      mutations: [apply(label('x'))],
      bindings: [{ paramRef: { name: 'x', parameterNotFoundAction: 'Deny' } }],
    });
    expect((await expectFailure(place.post('a'), 403, 'Forbidden')).message).toBe(
      `policy "${name}" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nobody.test/v1, Kind=Limit'`,
    );
  });

  it('runs before mutating webhooks, and again after them where the policy wants it', async () => {
    const place = await namespaceForPolicies(fixture);
    const count = (key: string) =>
      apply(`Object{data: {"${key}": "${key}" in object.?data.orValue({}) ? object.data["${key}"] + "+" : "1"}}`);
    await install(place.namespace, { mutations: [count('never')] });
    await install(place.namespace, {
      spec: { reinvocationPolicy: 'IfNeeded' },
      mutations: [
        count('needed'),
        apply('"hooked" in object.?metadata.labels.orValue({}) ? Object{data: {"saw": "hook"}} : Object{}'),
      ],
    });
    const hook = await installHook(fixture, {
      kind: 'Mutating',
      namespace: place.namespace,
      answer: () => jsonPatch([{ op: 'add', path: '/metadata/labels', value: { hooked: 'yes' } }]),
    });
    const body = await expectCode(place.post('a'), 201);
    expect(body['data']).toEqual({ never: '1', needed: '1+', saw: 'hook' });
    expect(hook.requests[0]?.object?.['data']).toEqual({ never: '1', needed: '1' });
  });

  it('refuses policies that are wrong, each mistake with its place', async () => {
    const spec = {
      matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'DELETE'] }] },
      mutations: [
        { patchType: 'JSONPatch' },
        { ...apply('Object{'), jsonPatch: { expression: '[]' } },
        apply('{"a": 1}'),
        patch('[1]'),
        { patchType: 'Merge' },
        apply(' '),
      ],
    };
    const answer = fixture.api.post(policies, { metadata: { name: fixture.unique('refused') }, spec });
    const { details } = await expectFailure(answer, 422, 'Invalid');
    const causes = details.causes.map(({ field, reason, message }) => `${field} | ${reason} | ${message}`);
    expect(causes).toEqual([
      'spec.matchConstraints.resourceRules.operations | FieldValueNotSupported | Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      'spec.mutations[0].jsonPatch | FieldValueRequired | Required value: must be specified when patchType is JSONPatch',
      expect.stringContaining(
        'spec.mutations[1].applyConfiguration.expression | FieldValueInvalid | Invalid value: "Object{": compilation failed: ERROR: <input>:1:8: Syntax error',
      ),
      'spec.mutations[1].jsonPatch | FieldValueInvalid | Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration',
      'spec.mutations[2].applyConfiguration.expression | FieldValueInvalid | Invalid value: "{\\"a\\": 1}": must evaluate to Object but got map(string, int)',
      'spec.mutations[3].jsonPatch.expression | FieldValueInvalid | Invalid value: "[1]": must evaluate to list(JSONPatch) but got list(int)',
      'spec.mutations[4].patchType | FieldValueNotSupported | Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
      'spec.mutations[5].applyConfiguration.expression | FieldValueRequired | Required value',
      'spec.reinvocationPolicy | FieldValueRequired | Required value',
    ]);
  });

  it('fills in a policy, and refuses bindings for deletions', async () => {
    const name = fixture.unique('filled');
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      reinvocationPolicy: 'Never',
      mutations: [apply('Object{}')],
    };
    const body = await expectCode(fixture.api.post(policies, { metadata: { name }, spec }), 201);
    expect(body.spec).toMatchObject({ failurePolicy: 'Fail', matchConstraints: { matchPolicy: 'Equivalent' } });
    const matchResources = { resourceRules: [{ ...rule, operations: ['DELETE'] }] };
    const answer = fixture.api.post(bindings, { metadata: { name }, spec: { policyName: name, matchResources } });
    const { details } = await expectFailure(answer, 422, 'Invalid');
    expect(details.causes.map(({ field }) => field)).toEqual(['spec.matchResources.resourceRules.operations']);
  });
}
