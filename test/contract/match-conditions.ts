import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap } from './objects.ts';
import { installHook, namespaceForHooks, setLabel } from './webhook-fixture.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

interface Condition {
  readonly name?: string;
  readonly expression?: string;
}

/** Holds for the object by which a test finds out that its hook is called. */
const orProbe = (expression: string) => `object != null && object.metadata.name == "probe" || (${expression})`;

export function defineMatchConditions(fixture: Fixture): void {
  const configuration = (matchConditions: readonly Condition[]) => ({
    metadata: { name: fixture.unique('conditions') },
    webhooks: [
      {
        name: 'a.example.test',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url: 'https://127.0.0.1:1' },
        matchConditions,
      },
    ],
  });
  const causesOf = async (matchConditions: readonly Condition[]) => {
    const answer = fixture.api.post(configurations, configuration(matchConditions));
    const { details } = await expectFailure(answer, 422, 'Invalid');
    return details.causes.map(({ field, reason, message }) => `${field} | ${reason} | ${message}`);
  };
  const installed = async (expressions: readonly string[], webhook: object = {}) => {
    const { namespace, path } = await namespaceForHooks(fixture);
    const matchConditions = expressions.map((expression, i) => ({ name: `c${i}`, expression: orProbe(expression) }));
    const hook = await installHook(fixture, {
      kind: 'Validating',
      namespace,
      answer: () => ({}),
      webhooks: [{ matchConditions, ...webhook }],
    });
    const post = (name: string, data: Readonly<Record<string, string>> = {}) =>
      fixture.api.post(path, configMap(name, data));
    return { path, post, names: () => hook.requests.map(({ operation, name }) => `${operation} ${name}`) };
  };

  it('refuses conditions that do not compile, each with its place', async () => {
    const conditions = [
      { name: 'a', expression: '1 +' },
      { name: 'b', expression: 'request.nothing == ""' },
      { name: 'c', expression: ' object.metadata.name ' },
    ];
    expect(await causesOf(conditions)).toEqual([
      expect.stringContaining(
        'webhooks[0].matchConditions[0].expression | FieldValueInvalid | Invalid value: "1 +": compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input',
      ),
      'webhooks[0].matchConditions[1].expression | FieldValueInvalid | Invalid value: "request.nothing == \\"\\"": ' +
        `compilation failed: ERROR: <input>:1:8: undefined field 'nothing'\n | request.nothing == ""\n | .......^`,
      'webhooks[0].matchConditions[2].expression | FieldValueInvalid | Invalid value: "object.metadata.name": ' +
        'must evaluate to bool but got dyn',
    ]);
  });

  it('refuses conditions without an expression, and names that are absent, wrong or repeated', async () => {
    const conditions = [
      { name: 'a', expression: ' ' },
      { expression: 'true' },
      { name: 'a b', expression: 'true' },
      { name: 'a', expression: 'true' },
    ];
    const causes = await causesOf(conditions);
    expect(causes).toEqual([
      'webhooks[0].matchConditions[0].expression | FieldValueRequired | Required value',
      'webhooks[0].matchConditions[1].name | FieldValueRequired | Required value',
      expect.stringContaining(
        'webhooks[0].matchConditions[2].name | FieldValueInvalid | Invalid value: "a b": name part',
      ),
      'webhooks[0].matchConditions[3].name | FieldValueDuplicate | Duplicate value: "a"',
    ]);
  });

  it('refuses more than 64 conditions', async () => {
    const conditions = Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: 'true' }));
    expect(await causesOf(conditions)).toEqual([
      'webhooks[0].matchConditions | FieldValueTooMany | Too many: 65: must have at most 64 items',
    ]);
  });

  it('knows neither variables nor params in conditions of a webhook', async () => {
    const conditions = [
      { name: 'a', expression: 'variables.x == 1' },
      { name: 'b', expression: 'params.x == 1' },
    ];
    const causes = await causesOf(conditions);
    expect(causes[0]).toContain("undeclared reference to 'variables' (in container '')");
    expect(causes[1]).toContain("undeclared reference to 'params' (in container '')");
  });

  it('calls a hook only when all of its conditions hold', async () => {
    const { post, names } = await installed(['object.metadata.name != "b"', 'object.metadata.name != "c"']);
    for (const name of ['a', 'b', 'c']) await expectCode(post(name), 201);
    expect(names()).toEqual(['CREATE a']);
  });

  it('shows conditions the request, the old object and the user', async () => {
    const { path, post, names } = await installed([
      'request.operation != "CREATE" || request.userInfo.username == "nobody"',
      'request.operation == "DELETE" ? oldObject.data.k == "w" : oldObject.data.k == "v"',
      'request.kind.kind == "ConfigMap" && request.requestResource.resource == "configmaps" && !has(request.subResource)',
      'has(request.options) && request.userInfo.groups.exists(g, g == "system:masters") && request.dryRun == false',
    ]);
    await expectCode(post('a', { k: 'v' }), 201);
    await expectCode(fixture.api.patch(`${path}/a`, { data: { k: 'w' } }, 'merge'), 200);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
    expect(names()).toEqual(['UPDATE a', 'DELETE a']);
  });

  it('asks the authorizer in conditions', async () => {
    const { post, names } = await installed([
      'authorizer.group("").resource("configmaps").namespace("default").check("delete").allowed()',
      'authorizer.requestResource.check("create").allowed() && authorizer.path("/healthz").check("get").allowed()',
      '!authorizer.requestResource.name("x").subresource("y").check("get").errored()',
    ]);
    await expectCode(post('a'), 201);
    expect(names()).toEqual(['CREATE a']);
  });

  it('refuses a request when a condition fails', async () => {
    const { post, names } = await installed(['object.data.missing == "x"']);
    const body = await expectFailure(post('a', { k: 'v' }), 403, 'Forbidden');
    const expression = orProbe('object.data.missing == "x"');
    expect(body.message).toBe(
      `configmaps "a" is forbidden: expression '${expression}' resulted in error: no such key: missing`,
    );
    expect(body.details).toEqual({ name: 'a', kind: 'configmaps' });
    expect(names()).toEqual([]);
  });

  it('tells all conditions that fail', async () => {
    const { post } = await installed(['object.data.one == ""', 'object.data.two == ""']);
    const body = await expectFailure(post('a', { k: 'v' }), 403, 'Forbidden');
    expect(body.message).toMatch(/is forbidden: \[expression '.*' resulted in error: no such key: one, expression '/);
  });

  it('does not call a hook whose condition fails under the failure policy Ignore', async () => {
    const { post, names } = await installed(['object.data.missing == "x"'], { failurePolicy: 'Ignore' });
    await expectCode(post('a', { k: 'v' }), 201);
    expect(names()).toEqual([]);
  });

  it('does not call a hook with a condition that is false, even if another fails', async () => {
    const { post, names } = await installed(['object.data.missing == "x"', 'object.metadata.name != "a"']);
    await expectCode(post('a', { k: 'v' }), 201);
    expect(names()).toEqual([]);
  });

  it('refuses a request when conditions cost more than they may', async () => {
    const expensive = `[${'0,'.repeat(50)}0]`;
    const cost = `${expensive}.all(a, ${expensive}.all(b, ${expensive}.all(c, a + b + c == 0)))`;
    const { post } = await installed([`object.data.size() == 0 || ${cost}`, ...Array.from({ length: 4 }, () => cost)]);
    const body = await expectFailure(post('a', { k: 'v' }), 403, 'Forbidden');
    expect(body.message).toBe(
      'configmaps "a" is forbidden: validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('keeps mutating hooks from objects that do not meet their conditions', async () => {
    const { namespace, path } = await namespaceForHooks(fixture);
    const matchConditions = [{ name: 'wanted', expression: orProbe('has(object.data) && "wanted" in object.data') }];
    await installHook(fixture, {
      kind: 'Mutating',
      namespace,
      webhooks: [{ matchConditions }],
      answer: () => setLabel('hooked'),
    });
    const wanted = await expectCode(fixture.api.post(path, configMap('a', { wanted: '1' })), 201);
    expect(wanted.metadata.labels).toEqual({ hooked: 'yes' });
    const other = await expectCode(fixture.api.post(path, configMap('b')), 201);
    expect(other.metadata.labels).toBeUndefined();
  });
}
