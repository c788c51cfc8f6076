import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { configMap, deployment, pod } from './objects.ts';
import {
  inNamespace,
  installPolicy,
  namespaceForPolicies,
  orProbe,
  type PolicyOptions,
  policies,
} from './policy-fixture.ts';
import { configMapRule } from './webhook-fixture.ts';

export function definePolicies(fixture: Fixture): void {
  const prepared = async (options: PolicyOptions) => {
    const place = await namespaceForPolicies(fixture);
    return { ...place, ...(await installPolicy(fixture, place.namespace, options)) };
  };
  const size = (most: number) => ({ expression: `!has(object.data) || object.data.size() <= ${most}` });

  it('refuses what a validation does not hold for, with the names of policy and binding', async () => {
    const { policy, post } = await prepared({ validations: [{ ...size(1), message: 'too much data' }] });
    await expectCode(post('a', { k: 'v' }), 201);
    const body = await expectFailure(post('b', { k: 'v', l: 'w' }), 422, 'Invalid');
    const message = `ValidatingAdmissionPolicy '${policy}' with binding '${policy}-0' denied request: too much data`;
    expect(body.message).toBe(`configmaps "b" is forbidden: ${message}`);
    expect(body.details).toEqual({ name: 'b', kind: 'configmaps', causes: [{ message }] });
  });

  it('answers with the code of the reason', async () => {
    const reasons = { Forbidden: 403, Invalid: 422, RequestEntityTooLarge: 413 };
    const validations = Object.keys(reasons).map((reason) => ({
      expression: `object.metadata.name != ${JSON.stringify(reason.toLowerCase())}`,
      reason,
    }));
    const { post } = await prepared({ validations });
    for (const [reason, code] of Object.entries(reasons)) {
      const body = await expectFailure(post(reason.toLowerCase()), code, reason);
      expect(body.message).toContain(`denied request: failed expression: object.metadata.name !=`);
    }
  });

  it('takes the message from the expression for it, unless that gives none', async () => {
    const message = 'fallback';
    const validations = [
      { ...size(1), messageExpression: '" more than one: " + string(object.data.size()) + " "', message },
      { expression: 'object.metadata.name != "lines"', messageExpression: '"a\\nb"', message },
      { expression: 'object.metadata.name != "empty"', messageExpression: '"  "' },
      { expression: 'object.metadata.name != "error"', messageExpression: 'string(object.nothing.x)', message },
    ];
    const { post } = await prepared({ validations });
    expect((await post('a', { k: 'v', l: 'w' })).body.message).toMatch(/denied request: more than one: 2$/);
    expect((await post('lines')).body.message).toMatch(/denied request: fallback$/);
    expect((await post('empty')).body.message).toMatch(
      /denied request: failed expression: object.metadata.name != "empty"$/,
    );
    expect((await post('error')).body.message).toMatch(/denied request: fallback$/);
  });

  it('warns of what a validation does not hold for, and lets it pass', async () => {
    const { policy, post } = await prepared({
      validations: [{ ...size(0), message: 'has data' }],
      bindings: [{ validationActions: ['Warn', 'Audit'] }],
    });
    const answer = await post('a', { k: 'v' });
    await expectCode(answer, 201);
    expect(answer.warnings).toEqual([
      `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${policy}-0': has data`,
    ]);
  });

  it('only records what a validation does not hold for under the action Audit', async () => {
    const { post } = await prepared({
      validations: [{ ...size(0), message: 'has data' }],
      bindings: [
        { validationActions: ['Audit'] },
        { matchResources: { objectSelector: { matchLabels: { deny: 'yes' } } } },
      ],
      probe: configMap('probe', {}, { labels: { deny: 'yes' } }),
    });
    const answer = await post('a', { k: 'v' });
    await expectCode(answer, 201);
    expect(answer.warnings).toEqual([]);
  });

  it('does nothing with a policy that no binding names', async () => {
    const { namespace, post } = await namespaceForPolicies(fixture);
    await expectCode(
      fixture.api.post(policies, {
        metadata: { name: fixture.unique('unbound') },
        spec: {
          matchConstraints: {
            resourceRules: [configMapRule],
            namespaceSelector: inNamespace(namespace),
          },
          validations: [{ expression: 'false' }],
        },
      }),
      201,
    );
    await installPolicy(fixture, namespace, {});
    await expectCode(post('a'), 201);
  });

  it('shows expressions the objects, the request and the namespace', async () => {
    const { path, post } = await prepared({
      validations: [
        { expression: 'request.operation == "DELETE" ? object == null : object.kind == "ConfigMap"' },
        { expression: 'request.operation != "CREATE" || oldObject == null' },
        { expression: orProbe('namespaceObject.metadata.labels["kubernetes.io/metadata.name"] == request.namespace') },
        { expression: 'namespaceObject.status.phase == "Active"' },
        { expression: 'request.operation != "UPDATE" || oldObject.data.k != "keep"', message: 'is kept' },
        { expression: 'request.userInfo.username == "admin" && "system:masters" in request.userInfo.groups' },
        { expression: 'request.resource.resource == "configmaps" && request.requestKind.kind == "ConfigMap"' },
      ],
    });
    await expectCode(post('a', { k: 'keep' }), 201);
    const body = await expectFailure(fixture.api.patch(`${path}/a`, { data: { k: 'w' } }, 'merge'), 422, 'Invalid');
    expect(body.message).toMatch(/denied request: is kept$/);
    await expectCode(fixture.api.delete(`${path}/a`), 200);
  });

  it('works variables out of each other', async () => {
    const variables = [
      { name: 'data', expression: 'has(object.data) ? object.data : {}' },
      { name: 'long', expression: 'variables.data.filter(k, variables.data[k].size() > 3)' },
      { name: 'wrong', expression: 'object.spec.missing' },
    ];
    const { post } = await prepared({
      spec: { variables },
      validations: [
        { expression: 'variables.long.size() == 0', messageExpression: '"long: " + variables.long.join(",")' },
        { expression: orProbe('object.metadata.name != "wrong" || variables.wrong == 1') },
      ],
    });
    await expectCode(post('a', { k: 'abc' }), 201);
    expect((await post('b', { k: 'abcd' })).body.message).toMatch(/denied request: long: k$/);
    expect((await post('wrong')).body.message).toContain(
      'resulted in error: composited variable "wrong" fails to evaluate: no such key: spec',
    );
  });

  it('passes over requests that do not meet the match conditions', async () => {
    const matchConditions = [{ name: 'not-free', expression: 'object.metadata.name != "free"' }];
    const { post } = await prepared({ spec: { matchConditions }, validations: [{ expression: 'false' }] });
    await expectCode(post('free'), 201);
    await expectFailure(post('bound'), 422, 'Invalid');
  });

  it('refuses on an error of a validation or a condition, or lets pass under the failure policy Ignore', async () => {
    const expression = orProbe('object.data.missing == "x"');
    const error = `expression '${expression}' resulted in error: no such key: missing`;
    const failing = await prepared({ validations: [{ expression }] });
    expect((await failing.post('a', { k: 'v' })).body.message).toMatch(/denied request: expression '/);
    expect((await failing.post('a', { k: 'v' })).body.message).toContain(error);
    const condition = await prepared({ spec: { matchConditions: [{ name: 'c', expression }] } });
    const body = await expectFailure(condition.post('a', { k: 'v' }), 422, 'Invalid');
    expect(body.message).toContain(error);
    const ignoring = await prepared({ spec: { failurePolicy: 'Ignore' }, validations: [{ expression }] });
    await expectCode(ignoring.post('a', { k: 'v' }), 201);
  });

  it('evaluates once with the param that the binding names', async () => {
    const place = await namespaceForPolicies(fixture);
    await expectCode(place.post('limits', { most: '1' }), 201);
    await installPolicy(fixture, place.namespace, {
      spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      validations: [
        {
          expression: 'params.kind == "ConfigMap" && object.data.size() <= int(params.data.most)',
          messageExpression: '"at most " + params.data.most',
        },
      ],
      bindings: [{ paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } }],
      probe: configMap('probe', { k: 'v' }),
    });
    await expectCode(place.post('a', { k: 'v' }), 201);
    expect((await place.post('b', { k: 'v', l: 'w' })).body.message).toMatch(/denied request: at most 1$/);
    await expectCode(fixture.api.patch(`${place.path}/limits`, { data: { most: '2' } }, 'merge'), 200);
    await eventually(() => expectCode(place.post(fixture.unique('b'), { k: 'v', l: 'w' }), 201));
  });

  it('evaluates with every param that the selector of the binding selects', async () => {
    const place = await namespaceForPolicies(fixture);
    for (const name of ['one', 'two']) {
      await expectCode(place.post(name, { forbidden: name }, { labels: { param: 'yes' } }), 201);
    }
    await installPolicy(fixture, place.namespace, {
      spec: { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } },
      validations: [{ expression: 'object.metadata.name != "x" + params.data.forbidden' }],
      bindings: [{ paramRef: { selector: { matchLabels: { param: 'yes' } }, parameterNotFoundAction: 'Deny' } }],
    });
    await expectCode(place.post('free'), 201);
    for (const name of ['xone', 'xtwo']) await expectFailure(place.post(name), 422, 'Invalid');
  });

  it('refuses or passes when no param is found, as the binding says', async () => {
    const options = (action: string) => ({
      spec: {
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: { resourceRules: [{ ...configMapRule, operations: ['CREATE'] }] },
      },
      validations: [{ expression: 'object.metadata.name != "a"' }],
      bindings: [{ paramRef: { name: 'absent', parameterNotFoundAction: action } }],
    });
    const denying = await prepared(options('Deny'));
    const body = await expectFailure(denying.post('other'), 422, 'Invalid');
    expect(body.message).toBe(
      `configmaps "other" is forbidden: ValidatingAdmissionPolicy '${denying.policy}' with binding '${denying.policy}-0' denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    const place = await namespaceForPolicies(fixture);
    await expectCode(place.post('absent'), 201);
    await installPolicy(fixture, place.namespace, options('Allow'));
    await expectFailure(place.post('a'), 422, 'Invalid');
    await expectCode(fixture.api.delete(`${place.path}/absent`), 200);
    await eventually(() => expectCode(place.post('a'), 201));
  });

  it('refuses when nobody serves the kind of the params', async () => {
    const paramKind = { apiVersion: 'nobody.test/v1', kind: 'Limit' };
    const { policy, post } = await prepared({
      spec: { paramKind },
      bindings: [{ paramRef: { name: 'x', parameterNotFoundAction: 'Allow' } }],
    });
    const body = await expectFailure(post('a'), 422, 'Invalid');
    expect(body.message).toContain(
      `ValidatingAdmissionPolicy '${policy}' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nobody.test/v1, Kind=Limit'`,
    );
  });

  it('judges custom resources, with custom resources as params', async () => {
    const { group, path } = await defineWidgets(fixture, { scope: 'Cluster' });
    const place = await namespaceForPolicies(fixture);
    await expectCode(fixture.api.post(path(), widget(group, 'limit', { spec: { most: 1 } })), 201);
    await installPolicy(fixture, place.namespace, {
      spec: {
        paramKind: { apiVersion: `${group}/v1`, kind: 'Widget' },
        matchConstraints: {
          resourceRules: [configMapRule, { ...configMapRule, apiGroups: [group], resources: ['widgets'] }],
        },
      },
      validations: [
        {
          expression: orProbe(
            'object.kind == "ConfigMap" || object.metadata.name == params.metadata.name || object.spec.size <= params.spec.most',
          ),
        },
      ],
      bindings: [{ matchResources: {}, paramRef: { name: 'limit', parameterNotFoundAction: 'Deny' } }],
    });
    // The server may serve a new kind before its policies can find it.
    await eventually(() =>
      expectCode(fixture.api.post(`${path()}?dryRun=All`, widget(group, 'a', { spec: { size: 1 } })), 201),
    );
    await expectFailure(fixture.api.post(path(), widget(group, 'b', { spec: { size: 2 } })), 422, 'Invalid');
  });

  it('matches by rules, exclusions and names', async () => {
    const { namespace, path, post } = await prepared({
      spec: {
        matchConstraints: {
          resourceRules: [
            { ...configMapRule, operations: ['CREATE'] },
            { ...configMapRule, operations: ['UPDATE'], resourceNames: ['kept'] },
            { ...configMapRule, resources: ['pods/status', 'deployments'], apiGroups: ['', 'apps'] },
          ],
          excludeResourceRules: [{ ...configMapRule, resourceNames: ['excluded'] }],
        },
      },
      validations: [{ expression: orProbe('has(object.metadata.labels) && "ok" in object.metadata.labels') }],
    });
    const ok = { labels: { ok: 'yes' } };
    await expectFailure(post('a'), 422, 'Invalid');
    await expectCode(post('excluded'), 201);
    for (const name of ['kept', 'other']) await expectCode(post(name, {}, ok), 201);
    const unlabel = (name: string) => fixture.api.patch(`${path}/${name}`, { metadata: { labels: null } }, 'merge');
    await expectFailure(unlabel('kept'), 422, 'Invalid');
    await expectCode(unlabel('other'), 200);
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await expectCode(fixture.api.post(pods, pod('a')), 201);
    await expectFailure(fixture.api.patch(`${pods}/a/status`, { status: { message: 'm' } }, 'merge'), 422, 'Invalid');
    await expectFailure(
      fixture.api.post(`/apis/apps/v1/namespaces/${namespace}/deployments`, deployment('a')),
      422,
      'Invalid',
    );
  });

  it('matches by the labels of objects, before or after the change', async () => {
    const objectSelector = { matchLabels: { watched: 'yes' } };
    const { path, post } = await prepared({
      spec: { matchConstraints: { resourceRules: [configMapRule], objectSelector } },
      validations: [{ expression: orProbe('request.operation == "CREATE"') }],
      probe: configMap('probe', {}, { labels: { watched: 'yes' } }),
    });
    await expectCode(post('a'), 201);
    await expectCode(fixture.api.patch(`${path}/a`, { data: { k: 'v' } }, 'merge'), 200);
    await expectCode(post('b', {}, { labels: { watched: 'yes' } }), 201);
    await expectFailure(fixture.api.patch(`${path}/b`, { metadata: { labels: null } }, 'merge'), 422, 'Invalid');
  });

  it('matches other versions of a resource, and shows the object in the version of the rule', async () => {
    const version = (name: string, storage: boolean) => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    });
    const { group, path } = await defineWidgets(fixture, {
      versions: [version('v1', true), version('v1beta1', false)],
    });
    const rules = [
      configMapRule,
      { ...configMapRule, apiGroups: [group], apiVersions: ['v1beta1'], resources: ['widgets'] },
    ];
    const expression = orProbe(`object.apiVersion.endsWith("/v1") && request.resource.version == "v1"`);
    const { namespace } = await prepared({
      spec: { matchConstraints: { resourceRules: rules } },
      validations: [{ expression, messageExpression: 'object.apiVersion + " " + request.requestKind.version' }],
    });
    const body = await expectFailure(fixture.api.post(path(namespace), widget(group, 'a')), 422, 'Invalid');
    expect(body.message).toContain(`denied request: ${group}/v1beta1 v1`);
    const exact = await prepared({
      spec: { matchConstraints: { resourceRules: rules, matchPolicy: 'Exact' } },
      validations: [{ expression }],
    });
    await expectCode(fixture.api.post(path(exact.namespace), widget(group, 'a')), 201);
  });

  it('asks the authorizer, but not for messages and annotations', async () => {
    const { post } = await prepared({
      spec: {
        variables: [{ name: 'may', expression: 'authorizer.requestResource.check("create").allowed()' }],
        auditAnnotations: [
          { key: 'may', valueExpression: 'object.metadata.name == "noted" ? string(variables.may) : ""' },
        ],
      },
      validations: [
        {
          expression:
            'variables.may && authorizer.serviceAccount("default", "default").group("apps").resource("deployments").subresource("scale").namespace("default").name("x").check("update").reason() != "x"',
        },
        { expression: 'object.metadata.name != "told"', messageExpression: 'string(variables.may)', message: 'untold' },
      ],
    });
    await expectCode(post('a'), 201);
    expect((await post('told')).body.message).toMatch(/denied request: untold$/);
    expect((await post('noted')).body.message).toContain('denied request: expression');
  });

  it('lets audit annotations pass, and refuses when one fails', async () => {
    const { post } = await prepared({
      spec: {
        auditAnnotations: [
          { key: 'name', valueExpression: '"made " + object.metadata.name' },
          { key: 'none', valueExpression: 'object.metadata.name == "bad" ? string(object.data.missing) : ""' },
        ],
      },
      bindings: [{ validationActions: ['Warn'] }],
    });
    await expectCode(post('a', { k: 'v' }), 201);
    const body = await expectFailure(post('bad', { k: 'v' }), 422, 'Invalid');
    expect(body.message).toContain('resulted in error: no such key: missing');
  });

  it('refuses when the validations cost more than they may', async () => {
    const list = `[${'0,'.repeat(50)}0]`;
    const cost = `${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c == 0)))`;
    const { post } = await prepared({
      validations: Array.from({ length: 20 }, () => ({ expression: orProbe(cost) })),
    });
    const body = await expectFailure(post('a'), 422, 'Invalid');
    expect(body.message).toContain(
      'denied request: validation failed due to running out of cost budget, no further validation rules will be run',
    );
  });

  it('refuses an expression that costs more than one may', async () => {
    const list = `[${'0,'.repeat(80)}0]`;
    const expression = orProbe(`${list}.all(a, ${list}.all(b, ${list}.all(c, a + b + c == 0)))`);
    const { post } = await prepared({ validations: [{ expression }] });
    const body = await expectFailure(post('a'), 422, 'Invalid');
    expect(body.message).toContain('resulted in error: operation cancelled: actual cost limit exceeded');
  });

  it('evaluates policies before it calls validating webhooks, and in dry runs too', async () => {
    const { path } = await prepared({ validations: [{ expression: 'object.metadata.name != "a"', message: 'no' }] });
    const body = await expectFailure(fixture.api.post(`${path}?dryRun=All`, configMap('a')), 422, 'Invalid');
    expect(body.message).toMatch(/denied request: no$/);
  });

  it('takes a changed policy and the end of a binding into account', async () => {
    const { policy, path, post } = await prepared({ validations: [{ expression: 'object.metadata.name != "a"' }] });
    await expectFailure(post('a'), 422, 'Invalid');
    const patch = { spec: { validations: [{ expression: 'object.metadata.name != "b"' }] } };
    await expectCode(fixture.api.patch(`${policies}/${policy}`, patch, 'merge'), 200);
    await eventually(() => expectFailure(fixture.api.post(`${path}?dryRun=All`, configMap('b')), 422, 'Invalid'));
    await expectCode(post('a'), 201);
    await expectCode(
      fixture.api.delete(`/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/${policy}-0`),
      200,
    );
    await eventually(() => expectCode(post('b'), 201));
  });
}
