import { expect, it } from 'vitest';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { bindings, policies } from './policy-fixture.ts';
import { configMapRule } from './webhook-fixture.ts';

export function definePolicyValidation(fixture: Fixture): void {
  const validation = { expression: 'true' };
  const base = { matchConstraints: { resourceRules: [configMapRule] }, validations: [validation] };
  const refused = async (path: string, spec: object, name = fixture.unique('refused')) => {
    const body = await expectFailure(fixture.api.post(path, { metadata: { name }, spec }), 422, 'Invalid');
    return body.details.causes.map(({ field, reason, message }) => `${field} | ${reason} | ${message}`);
  };
  const refusedPolicy = (spec: object, name?: string) => refused(policies, { ...base, ...spec }, name);
  const refusedBinding = (spec: object) => refused(bindings, { policyName: 'p', validationActions: ['Deny'], ...spec });

  it('fills in a policy and a binding', async () => {
    const name = fixture.unique('filled');
    const policy = await expectCode(fixture.api.post(policies, { metadata: { name }, spec: base }), 201);
    expect(policy.spec).toEqual({
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ ...configMapRule, scope: '*' }],
      },
      validations: [validation],
    });
    expect(policy.metadata.generation).toBe(1);
    const spec = { policyName: name, validationActions: ['Deny'], matchResources: {} };
    const bound = await expectCode(fixture.api.post(bindings, { metadata: { name }, spec }), 201);
    expect(bound.spec).toEqual({
      ...spec,
      matchResources: { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} },
    });
  });

  it('refuses expressions that do not compile, each with its place', async () => {
    const causes = await refusedPolicy({
      variables: [
        { name: 'one', expression: '1 + "a"' },
        { name: 'two', expression: 'variables.three' },
        { name: 'three', expression: '"text"' },
      ],
      matchConditions: [{ name: 'c', expression: 'request.none' }],
      validations: [
        { expression: 'variables.three' },
        { expression: 'true', messageExpression: '1' },
        { expression: 'params.x == 1' },
        { expression: 'true', messageExpression: 'string(authorizer.path("/x").check("get").allowed())' },
      ],
      auditAnnotations: [{ key: 'k', valueExpression: '12' }],
    });
    const head = (field: string, expression: string) =>
      `spec.${field} | FieldValueInvalid | Invalid value: ${JSON.stringify(expression)}: `;
    expect(causes).toEqual([
      `${head('matchConditions[0].expression', 'request.none')}compilation failed: ERROR: <input>:1:8: undefined field 'none'\n | request.none\n | .......^`,
      `${head('variables[0].expression', '1 + "a"')}compilation failed: ERROR: <input>:1:3: found no matching overload for '_+_' applied to '(int, string)'\n | 1 + "a"\n | ..^`,
      `${head('variables[1].expression', 'variables.three')}compilation failed: ERROR: <input>:1:10: undefined field 'three'\n | variables.three\n | .........^`,
      `${head('validations[0].expression', 'variables.three')}must evaluate to bool but got string`,
      `${head('validations[1].messageExpression', '1')}must evaluate to string but got int`,
      expect.stringContaining(
        `${head('validations[2].expression', 'params.x == 1')}compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')`,
      ),
      expect.stringContaining('spec.validations[3].messageExpression | FieldValueInvalid'),
      `${head('auditAnnotations[0].valueExpression', '12')}must evaluate to one of [string null_type] but got int`,
    ]);
  });

  it('refuses a policy without constraints, without rules and without validations', async () => {
    const name = fixture.unique('empty');
    const required = 'validations or auditAnnotations must contain at least one item';
    expect(await refused(policies, {}, name)).toEqual([
      'spec.matchConstraints | FieldValueRequired | Required value',
      `spec.validations | FieldValueRequired | Required value: ${required}`,
      `spec.auditAnnotations | FieldValueRequired | Required value: ${required}`,
    ]);
    expect(await refusedPolicy({ matchConstraints: {} })).toEqual([
      'spec.matchConstraints.resourceRules | FieldValueRequired | Required value',
    ]);
  });

  it('refuses wrong choices, rules, variables and messages of a policy', async () => {
    const causes = await refusedPolicy({
      failurePolicy: 'Maybe',
      matchConstraints: {
        matchPolicy: 'Some',
        resourceRules: [{ ...configMapRule, operations: ['READ'], resourceNames: ['a/b', 'c', 'c'] }],
        objectSelector: { matchExpressions: [{ key: 'a', operator: 'Is' }] },
      },
      variables: [
        { name: '1x', expression: 'true' },
        { name: 'for', expression: 'true' },
        { name: 'x', expression: '' },
      ],
      validations: [
        { expression: ' ' },
        { expression: 'true', message: ' ', reason: 'Teapot' },
        { expression: 'true', message: 'a\nb', messageExpression: ' ' },
      ],
    });
    expect(causes).toEqual([
      'spec.failurePolicy | FieldValueNotSupported | Unsupported value: "Maybe": supported values: "Fail", "Ignore"',
      'spec.matchConstraints.matchPolicy | FieldValueNotSupported | Unsupported value: "Some": supported values: "Equivalent", "Exact"',
      'spec.matchConstraints.objectSelector.matchExpressions[0].operator | FieldValueInvalid | Invalid value: "Is": not a valid selector operator',
      `spec.matchConstraints.resourceRules[0].resourceNames[0] | FieldValueInvalid | Invalid value: "a/b": may not contain '/'`,
      'spec.matchConstraints.resourceRules[0].resourceNames[2] | FieldValueDuplicate | Duplicate value: "c"',
      'spec.matchConstraints.resourceRules[0].operations[0] | FieldValueNotSupported | Unsupported value: "READ": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      'spec.variables[0].name | FieldValueInvalid | Invalid value: "1x": must be a valid CEL identifier',
      'spec.variables[1].name | FieldValueInvalid | Invalid value: "for": must be a valid CEL identifier',
      'spec.variables[2].expression | FieldValueRequired | Required value: expression is not specified',
      'spec.validations[0].expression | FieldValueRequired | Required value: expression is not specified',
      'spec.validations[1].message | FieldValueInvalid | Invalid value: " ": must be non-empty if specified',
      'spec.validations[1].reason | FieldValueNotSupported | Unsupported value: "Teapot": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[2].messageExpression | FieldValueInvalid | Invalid value: " ": must be non-empty if specified',
      'spec.validations[2].message | FieldValueInvalid | Invalid value: "a\\nb": must not contain line breaks',
    ]);
  });

  it('refuses wrong kinds of params', async () => {
    expect(await refusedPolicy({ paramKind: {} })).toEqual([
      'spec.paramKind.apiVersion | FieldValueRequired | Required value',
      'spec.paramKind.kind | FieldValueRequired | Required value',
    ]);
    const causes = await refusedPolicy({ paramKind: { apiVersion: 'a/b/c', kind: 'A b' } });
    expect(causes).toEqual([
      'spec.paramKind.apiVersion | FieldValueInvalid | Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringContaining(
        'spec.paramKind.kind | FieldValueInvalid | Invalid value: "A b": may have mixed case, but should otherwise match: a DNS-1035 label',
      ),
    ]);
  });

  it('refuses wrong audit annotations', async () => {
    const name = fixture.unique('noted');
    const auditAnnotations = [
      { key: 'a b', valueExpression: '"x"' },
      { key: 'k', valueExpression: ' ' },
      { key: 'k', valueExpression: '"x"' },
    ];
    expect(await refusedPolicy({ auditAnnotations }, name)).toEqual([
      expect.stringContaining(
        `spec.auditAnnotations[0].key | FieldValueInvalid | Invalid value: "${name}/a b": name part`,
      ),
      'spec.auditAnnotations[1].valueExpression | FieldValueRequired | Required value: valueExpression is not specified',
      'spec.auditAnnotations[2].key | FieldValueDuplicate | Duplicate value: "k"',
    ]);
  });

  it('refuses bindings without a policy or with wrong actions', async () => {
    expect(await refusedBinding({ policyName: '', validationActions: [] })).toEqual([
      'spec.policyName | FieldValueRequired | Required value',
      'spec.validationActions | FieldValueRequired | Required value: at least one validation action is required',
    ]);
    expect(await refusedBinding({ policyName: 'A', validationActions: ['Deny', 'Warn', 'Warn', 'Log'] })).toEqual([
      expect.stringContaining(
        'spec.policyName | FieldValueInvalid | Invalid value: "A": a lowercase RFC 1123 subdomain',
      ),
      'spec.validationActions[2] | FieldValueDuplicate | Duplicate value: "Warn"',
      'spec.validationActions[3] | FieldValueNotSupported | Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions | FieldValueInvalid | Invalid value: ["Deny","Warn","Warn","Log"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ]);
  });

  it('refuses bindings that name params in a wrong way', async () => {
    expect(await refusedBinding({ paramRef: {} })).toEqual([
      'spec.paramRef | FieldValueRequired | Required value: one of name or selector must be specified',
      'spec.paramRef.parameterNotFoundAction | FieldValueRequired | Required value',
    ]);
    const paramRef = { name: 'a', selector: {}, parameterNotFoundAction: 'Warn' };
    expect(await refusedBinding({ paramRef })).toEqual([
      'spec.paramRef.name | FieldValueForbidden | Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector | FieldValueForbidden | Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction | FieldValueNotSupported | Unsupported value: "Warn": supported values: "Deny", "Allow"',
    ]);
  });

  it('serves policies and bindings with their status', async () => {
    const body = await expectCode(fixture.api.get('/apis/admissionregistration.k8s.io/v1'), 200);
    const resources = body['resources'] as readonly { readonly name: string }[];
    expect(resources.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'validatingadmissionpolicies',
        'validatingadmissionpolicies/status',
        'validatingadmissionpolicybindings',
      ]),
    );
  });

  it('refuses to replace a policy without its version', async () => {
    const name = fixture.unique('versioned');
    await expectCode(fixture.api.post(policies, { metadata: { name }, spec: base }), 201);
    const body = await expectFailure(
      fixture.api.put(`${policies}/${name}`, { metadata: { name }, spec: base }),
      422,
      'Invalid',
    );
    expect(body.details.causes).toMatchObject([{ field: 'metadata.resourceVersion' }]);
  });
}
