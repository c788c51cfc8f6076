import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { defineWidgets } from './crd-fixture.ts';
import { expectCode, type Fixture } from './fixture.ts';
import { policies } from './policy-fixture.ts';

export function defineTypeChecking(fixture: Fixture): void {
  const statusOf = async (spec: object) => {
    const name = fixture.unique('typed');
    await expectCode(fixture.api.post(policies, { metadata: { name }, spec }), 201);
    return eventually(async () => {
      const policy = await expectCode(fixture.api.get(`${policies}/${name}`), 200);
      const status = policy['status'] as { readonly observedGeneration?: number; readonly typeChecking?: object };
      expect(status.observedGeneration).toBe(1);
      return status.typeChecking;
    });
  };
  const rule = (apiGroups: readonly string[], apiVersions: readonly string[], ...resources: readonly string[]) => ({
    apiGroups,
    apiVersions,
    operations: ['CREATE'],
    resources,
  });
  const deployments = rule(['apps'], ['v1'], 'deployments');

  const at = (column: number, expression: string, mistake: string) =>
    `ERROR: <input>:1:${column}: ${mistake}\n | ${expression}\n | ${'.'.repeat(column - 1)}^\n`;
  const undefinedField = (column: number, field: string, expression: string) =>
    at(column, expression, `undefined field '${field}'`);
  const inDeployments = 'apps/v1, Kind=Deployment: ';
  const inConfigMaps = '/v1, Kind=ConfigMap: ';

  it('is told nothing where its expressions fit', async () => {
    const status = await statusOf({
      matchConstraints: { resourceRules: [deployments] },
      validations: [
        {
          expression: 'object.spec.replicas > 1 && request.name == object.metadata.name',
          messageExpression: 'string(object.metadata.name)',
        },
        { expression: 'object.spec.strategy.rollingUpdate.maxSurge == 1' },
        { expression: 'object.metadata.creationTimestamp < timestamp("2026-01-01T00:00:00Z")' },
      ],
    });
    expect(status).toEqual({});
  });

  it('is told what is wrong with each expression, for each kind that it names', async () => {
    const wrong = 'object.spec.replica > 1';
    const message = 'string(object.metadata.nam)';
    const compared = 'variables.count > "1"';
    const status = await statusOf({
      matchConstraints: { resourceRules: [deployments, rule([''], ['v1'], 'configmaps', 'configmaps/status')] },
      variables: [{ name: 'count', expression: 'object.spec.replicas' }],
      validations: [{ expression: wrong, messageExpression: message }, { expression: compared }],
    });
    const mismatch = at(17, compared, "found no matching overload for '_>_' applied to '(int, string)'");
    expect(status).toEqual({
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: `${inConfigMaps}${undefinedField(7, 'spec', wrong)}\n${inDeployments}${undefinedField(12, 'replica', wrong)}`,
        },
        {
          fieldRef: 'spec.validations[0].messageExpression',
          warning: `${inConfigMaps}${undefinedField(23, 'nam', message)}\n${inDeployments}${undefinedField(23, 'nam', message)}`,
        },
        { fieldRef: 'spec.validations[1].expression', warning: `${inDeployments}${mismatch}` },
      ],
    });
  });

  it('knows the kind of its params, and not what quantities are', async () => {
    const params = 'params.dat.size() > 0';
    const limits = 'object.spec.template.spec.containers.all(c, has(c.resources.limits))';
    const requested = 'authorizer.requestResource.check("get").allowed()';
    const status = await statusOf({
      matchConstraints: { resourceRules: [deployments] },
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      validations: [params, 'params.data.size() > 0', limits, requested].map((expression) => ({ expression })),
    });
    expect(status).toEqual({
      expressionWarnings: [
        {
          fieldRef: 'spec.validations[0].expression',
          warning: `${inDeployments}${undefinedField(7, 'dat', params)}`,
        },
        {
          fieldRef: 'spec.validations[2].expression',
          warning: `${inDeployments}${undefinedField(48, 'limits', limits)}`,
        },
        {
          fieldRef: 'spec.validations[3].expression',
          warning: `${inDeployments}${at(11, requested, "unexpected failed resolution of 'kubernetes.authorization.Authorizer'")}`,
        },
      ],
    });
  });

  it('checks custom resources, and nothing that is named by a star', async () => {
    const { group } = await defineWidgets(fixture);
    const expression = 'object.spec.none == 1';
    const widgets = { matchConstraints: { resourceRules: [rule([group], ['v1'], 'widgets')] } };
    const fieldRef = 'spec.validations[0].expression';
    const warning = `${group}/v1, Kind=Widget: ${undefinedField(12, 'none', expression)}`;
    // The controller of the real server may not know yet that the kind is served.
    await eventually(async () =>
      expect(await statusOf({ ...widgets, validations: [{ expression }] })).toEqual({
        expressionWarnings: [{ fieldRef, warning }],
      }),
    );
    const starred = [
      rule(['*'], ['v1'], 'deployments'),
      rule(['apps'], ['*'], 'deployments'),
      rule(['apps'], ['v1'], '*'),
    ];
    for (const resourceRule of starred) {
      const status = await statusOf({
        matchConstraints: { resourceRules: [resourceRule] },
        validations: [{ expression }],
      });
      expect(status).toEqual({});
    }
  });
}
