import { expect, it } from 'vitest';
import { eventually } from '../support/wait.ts';
import { defineWidgets, widget } from './crd-fixture.ts';
import { expectCode, expectFailure, type Fixture } from './fixture.ts';
import { crd } from './objects.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const text = { type: 'string' };
const integer = { type: 'integer' };

const withRules = (schema: object, ...rules: readonly (string | object)[]) => ({
  ...schema,
  'x-kubernetes-validations': rules.map((rule) => (typeof rule === 'string' ? { rule } : rule)),
});
const specOf = (properties: object, ...rules: readonly (string | object)[]) => ({
  type: 'object',
  properties: {
    spec: rules.length > 0 ? withRules({ type: 'object', properties }, ...rules) : { type: 'object', properties },
  },
});

export function defineCrdRules(fixture: Fixture): void {
  const prepared = async (schema: object, version: object = {}) => {
    const { group, path, definitionPath } = await defineWidgets(fixture, { schema, version });
    const collection = path(await fixture.namespace());
    let count = 0;
    return {
      group,
      collection,
      definitionPath,
      post: (spec: object, metadata: object = {}) =>
        fixture.api.post(collection, widget(group, `w${++count}`, { spec }, metadata)),
      patch: (name: string, spec: object) => fixture.api.patch(`${collection}/${name}`, { spec }, 'merge'),
    };
  };
  const causesOf = async (answer: ReturnType<typeof fixture.api.post>) => {
    const { details } = await expectFailure(answer, 422, 'Invalid');
    return details.causes.map(({ field, reason, message }) => `${field} | ${reason} | ${message}`);
  };
  const refused = (schema: object) => {
    const group = `${fixture.unique('crd')}.test`;
    return causesOf(fixture.api.post(definitions, crd({ group, plural: 'widgets', kind: 'Widget', schema })));
  };

  it('says for every rule that does not hold what is wrong and where', async () => {
    const { post } = await prepared(
      specOf(
        {
          min: integer,
          max: integer,
          name: withRules(text, { rule: 'self.startsWith("a")', message: 'must start with a' }),
          list: { type: 'array', maxItems: 5, items: withRules(integer, 'self % 2 == 0') },
        },
        'self.min <= self.max',
      ),
    );
    await expectCode(post({ min: 1, max: 2, name: 'abc', list: [2, 4] }), 201);
    expect((await causesOf(post({ min: 2, max: 1, name: 'bc', list: [2, 3] }))).sort()).toEqual([
      'spec | FieldValueInvalid | Invalid value: failed rule: self.min <= self.max',
      'spec.list[1] | FieldValueInvalid | Invalid value: 3: failed rule: self % 2 == 0',
      'spec.name | FieldValueInvalid | Invalid value: "bc": must start with a',
    ]);
  });

  it('shows a rule at the root the type and the name alone', async () => {
    const { post } = await prepared(
      withRules(specOf({ size: integer }), 'self.kind == "Widget" && self.metadata.name != "w2"', {
        rule: 'self.spec.size < 3',
        message: 'too large',
      }),
    );
    await expectCode(post({ size: 1 }), 201);
    expect(await causesOf(post({ size: 5 }))).toEqual([
      '<nil> | FieldValueInvalid | Invalid value: failed rule: self.kind == "Widget" && self.metadata.name != "w2"',
      '<nil> | FieldValueInvalid | Invalid value: too large',
    ]);
  });

  it('gives a message that a rule works out, unless it fails', async () => {
    const { post } = await prepared(
      specOf(
        { a: integer, b: integer, list: { type: 'array', maxItems: 3, items: integer } },
        {
          rule: 'self.a <= 1',
          messageExpression: '" a is " + (self.a > 1 ? "more" : "less") + " "',
          message: 'fallback',
        },
        { rule: 'self.b <= 1', messageExpression: 'self.list[7] == 1 ? "a" : "b"', message: 'fallback' },
        { rule: '!has(self.list) || self.list.size() < 3', messageExpression: '"x\\ny"' },
      ),
    );
    expect(await causesOf(post({ a: 2, b: 2, list: [1, 2, 3] }))).toEqual([
      'spec | FieldValueInvalid | Invalid value: a is more',
      'spec | FieldValueInvalid | Invalid value: fallback',
      'spec | FieldValueInvalid | Invalid value: failed rule: !has(self.list) || self.list.size() < 3',
    ]);
  });

  it('tells mistakes with the reason and at the place that a rule names', async () => {
    const rule = 'self.a == 0';
    const labels = { type: 'object', maxProperties: 3, additionalProperties: text };
    const { post } = await prepared(
      specOf(
        { a: integer, labels, nested: { type: 'object', properties: { b: text } } },
        { rule, reason: 'FieldValueForbidden', message: 'no', fieldPath: '.a' },
        { rule, reason: 'FieldValueRequired', message: 'no', fieldPath: '.nested.b' },
        { rule, reason: 'FieldValueDuplicate', message: 'no', fieldPath: ".labels['x.y']" },
        { rule, reason: 'FieldValueInvalid', message: 'no' },
      ),
    );
    expect(await causesOf(post({ a: 1 }))).toEqual([
      'spec.a | FieldValueForbidden | Forbidden: no',
      'spec.nested.b | FieldValueRequired | Required value: no',
      'spec.labels[x.y] | FieldValueDuplicate | Duplicate value',
      'spec | FieldValueInvalid | Invalid value: no',
    ]);
  });

  it('types values as the schema does', async () => {
    const { post } = await prepared(
      specOf(
        {
          ratio: { type: 'number' },
          when: { ...text, format: 'date-time' },
          day: { ...text, format: 'date' },
          wait: { ...text, format: 'duration' },
          raw: { ...text, format: 'byte', maxLength: 100 },
          port: { 'x-kubernetes-int-or-string': true },
        },
        'self.ratio + 0.5 > 1.0 && type(self.ratio) == double',
        'self.when.getFullYear() == 2026 && self.day < self.when',
        'self.wait == duration("90s") && self.wait.getMinutes() == 1',
        'self.raw == b"abc"',
        'type(self.port) == string ? self.port == "http" : self.port < 1024',
      ),
    );
    const spec = { ratio: 1, when: '2026-03-04T05:06:07Z', day: '2026-03-04', wait: '1m30s', raw: 'YWJj', port: 80 };
    await expectCode(post(spec), 201);
    await expectCode(post({ ...spec, port: 'http' }), 201);
    expect(await causesOf(post({ ...spec, ratio: 0, port: 'https' }))).toEqual([
      'spec | FieldValueInvalid | Invalid value: failed rule: self.ratio + 0.5 > 1.0 && type(self.ratio) == double',
      'spec | FieldValueInvalid | Invalid value: failed rule: type(self.port) == string ? self.port == "http" : self.port < 1024',
    ]);
  });

  it('escapes names of fields that expressions cannot have', async () => {
    const { post } = await prepared(
      specOf(
        { 'a.b': integer, 'c-d': integer, 'e/f': integer, g__h: integer, namespace: text, in: text },
        'self.a__dot__b + self.c__dash__d + self.e__slash__f + self.g__underscores__h == 10',
        'self.__namespace__ == self.__in__',
      ),
    );
    await expectCode(post({ 'a.b': 1, 'c-d': 2, 'e/f': 3, g__h: 4, namespace: 'x', in: 'x' }), 201);
    expect(await causesOf(post({ 'a.b': 1, 'c-d': 2, 'e/f': 3, g__h: 5, namespace: 'x', in: 'y' }))).toHaveLength(2);
  });

  it('takes a field that is null for absent', async () => {
    const { post } = await prepared(specOf({ a: { ...text, nullable: true } }, '!has(self.a)'));
    await expectCode(post({ a: null }), 201);
    expect(await causesOf(post({ a: 'x' }))).toHaveLength(1);
  });

  it('compares sets and maps regardless of their order', async () => {
    const ports = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, port: integer } },
    };
    const tags = { type: 'array', maxItems: 5, 'x-kubernetes-list-type': 'set', items: { ...text, maxLength: 10 } };
    const { post, patch } = await prepared(
      specOf(
        { ports, tags, open: { type: 'boolean' } },
        'self.ports == oldSelf.ports && self.tags == oldSelf.tags',
        '(self.tags + ["z"]).size() == 3',
      ),
    );
    const a = { name: 'a', port: 1 };
    const b = { name: 'b', port: 2 };
    await expectCode(post({ ports: [a, b], tags: ['x', 'z'] }), 422);
    await expectCode(post({ ports: [a, b], tags: ['x', 'y'] }), 201);
    await expectCode(patch('w2', { ports: [b, a], tags: ['y', 'x'] }), 200);
    expect(await causesOf(patch('w2', { ports: [b, { name: 'a', port: 3 }] }))).toHaveLength(1);
  });

  it('evaluates rules about changes only where an old value belongs to the new one', async () => {
    const fixed = withRules(text, { rule: 'self == oldSelf', message: 'is fixed' });
    const ports = {
      type: 'array',
      maxItems: 5,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: text, protocol: fixed } },
    };
    const labels = { type: 'object', maxProperties: 5, additionalProperties: fixed };
    const { post, patch } = await prepared(specOf({ top: fixed, ports, labels }));
    await expectCode(post({}), 201);
    await expectCode(patch('w1', { top: 'a', ports: [{ name: 'x', protocol: 'tcp' }], labels: { k: 'v' } }), 200);
    await expectCode(
      patch('w1', {
        ports: [
          { name: 'y', protocol: 'udp' },
          { name: 'x', protocol: 'tcp' },
        ],
      }),
      200,
    );
    const changed = { top: 'b', ports: [{ name: 'x', protocol: 'udp' }], labels: { k: 'w', l: 'x' } };
    expect((await causesOf(patch('w1', changed))).sort()).toEqual([
      'spec.labels[k] | FieldValueInvalid | Invalid value: "w": is fixed',
      'spec.ports[0].protocol | FieldValueInvalid | Invalid value: "udp": is fixed',
      'spec.top | FieldValueInvalid | Invalid value: "b": is fixed',
    ]);
    await expectCode(patch('w1', { top: null }), 200);
    await expectCode(patch('w1', { top: 'c' }), 200);
  });

  it('gives a rule an optional old value where it wants one', async () => {
    const rule = {
      rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self == 1',
      optionalOldSelf: true,
      message: 'grows from 1',
    };
    const { post, patch } = await prepared(specOf({ size: withRules(integer, rule) }));
    expect(await causesOf(post({ size: 2 }))).toEqual([
      'spec.size | FieldValueInvalid | Invalid value: 2: grows from 1',
    ]);
    await expectCode(post({ size: 1 }), 201);
    await expectCode(patch('w2', { size: 3 }), 200);
    expect(await causesOf(patch('w2', { size: 2 }))).toHaveLength(1);
  });

  it('lets pass with a warning what was wrong before and did not change', async () => {
    const { group, collection, definitionPath, post } = await prepared(specOf({ name: text, other: text }));
    await expectCode(post({ name: 'bad' }), 201);
    const path = '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/name/x-kubernetes-validations';
    const value = [{ rule: 'self == "good"', message: 'must be good' }];
    await expectCode(fixture.api.patch(definitionPath, [{ op: 'add', path, value }], 'json'), 200);
    await eventually(() =>
      expectCode(fixture.api.post(`${collection}?dryRun=All`, widget(group, 'x', { spec: { name: 'bad' } })), 422),
    );
    const answer = await fixture.api.patch(`${collection}/w1`, { spec: { other: 'x' } }, 'merge');
    await expectCode(answer, 200);
    expect(answer.warnings).toEqual(['spec.name: Invalid value: "bad": must be good']);
    await expectCode(fixture.api.patch(`${collection}/w1`, { spec: { name: 'worse' } }, 'merge'), 422);
    await expectCode(fixture.api.patch(`${collection}/w1`, { spec: { name: 'good' } }, 'merge'), 200);
  });

  it('checks what is written to the status', async () => {
    const status = {
      type: 'object',
      properties: { phase: withRules(text, { rule: 'self != "Bad"', message: 'never' }) },
    };
    const schema = { type: 'object', properties: { spec: { type: 'object' }, status } };
    const { collection, post } = await prepared(schema, { subresources: { status: {} } });
    await expectCode(post({}), 201);
    await expectCode(fixture.api.patch(`${collection}/w1/status`, { status: { phase: 'Good' } }, 'merge'), 200);
    expect(await causesOf(fixture.api.patch(`${collection}/w1/status`, { status: { phase: 'Bad' } }, 'merge'))).toEqual(
      ['status.phase | FieldValueInvalid | Invalid value: "Bad": never'],
    );
  });

  it('does not evaluate rules on an object that does not fit its schema', async () => {
    const { post } = await prepared(specOf({ a: { ...integer, maximum: 3 }, b: text }, 'self.a < 2'));
    expect(await causesOf(post({ a: 'x' }))).toEqual([
      'spec.a | FieldValueTypeInvalid | Invalid value: "string": spec.a in body must be of type integer: "string"',
      '<nil> | FieldValueInvalid | Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
    expect(await causesOf(post({ a: 4 }))).toHaveLength(2);
  });

  it('refuses when a rule fails', async () => {
    const { post } = await prepared(
      specOf(
        {
          a: integer,
          list: { type: 'array', maxItems: 3, items: integer },
          port: { 'x-kubernetes-int-or-string': true },
        },
        '!has(self.list) || self.list[5] == 1',
        { rule: '!has(self.port) || self.port + 1 > 2', message: 'about ports' },
        '!has(self.a) || 1 / self.a == 1',
      ),
    );
    expect(await causesOf(post({ a: 0, list: [1], port: 'x' }))).toEqual([
      'spec | FieldValueInvalid | Invalid value: "object": index out of bounds: 5 evaluating rule: !has(self.list) || self.list[5] == 1',
      'spec | FieldValueInvalid | Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: about ports',
      'spec | FieldValueInvalid | Invalid value: "object": division by zero evaluating rule: !has(self.a) || 1 / self.a == 1',
    ]);
  });

  it('refuses rules that do not compile, each with its place', async () => {
    const shown = (rule: string, messageExpression = '') =>
      JSON.stringify({
        Rule: rule,
        Message: '',
        MessageExpression: messageExpression,
        Reason: null,
        FieldPath: '',
        OptionalOldSelf: null,
      });
    const causes = await refused(
      specOf(
        { a: integer, any: { 'x-kubernetes-preserve-unknown-fields': true } },
        'self.a +',
        'self.b == 1',
        'self.any == 1',
        'self.a',
        { rule: 'self.a == 1', messageExpression: 'self.a' },
        { rule: 'self.a == 1', messageExpression: 'self.b' },
      ),
    );
    const where = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations';
    expect(causes).toEqual([
      expect.stringContaining(
        `${where}[0].rule | FieldValueInvalid | Invalid value: ${shown('self.a +')}: compilation failed: ERROR: <input>:1:9: Syntax error`,
      ),
      `${where}[1].rule | FieldValueInvalid | Invalid value: ${shown('self.b == 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^`,
      `${where}[2].rule | FieldValueInvalid | Invalid value: ${shown('self.any == 1')}: compilation failed: ERROR: <input>:1:5: undefined field 'any'\n | self.any == 1\n | ....^`,
      `${where}[3].rule | FieldValueInvalid | Invalid value: ${shown('self.a')}: cel expression must evaluate to a bool`,
      `${where}[4].messageExpression | FieldValueInvalid | Invalid value: ${shown('self.a == 1', 'self.a')}: messageExpression must evaluate to a string`,
      `${where}[5].messageExpression | FieldValueInvalid | Invalid value: ${shown('self.a == 1', 'self.b')}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^`,
    ]);
  });

  it('refuses rules of a wrong form', async () => {
    const causes = await refused(
      specOf(
        { a: text },
        { rule: 'true', messageExpression: ' ' },
        { rule: 'true', fieldPath: '.none' },
        { rule: 'true', reason: 'Teapot' },
        { rule: 'true', fieldPath: '.a[0]' },
      ),
    );
    const where = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations';
    expect(causes).toEqual([
      `${where}[0].messageExpression | FieldValueRequired | Required value: messageExpression must be non-empty if specified`,
      `${where}[1].fieldPath | FieldValueInvalid | Invalid value: ".none": must be a valid path`,
      `${where}[2].reason | FieldValueNotSupported | Unsupported value: "Teapot": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${where}[3].fieldPath | FieldValueInvalid | Invalid value: ".a[0]": must be a valid path`,
    ]);
  });

  it('refuses rules about changes where nothing tells elements apart, and needless optional old values', async () => {
    const items = withRules(text, 'self == oldSelf');
    const causes = await refused(
      specOf({
        list: { type: 'array', maxItems: 3, items },
        a: withRules(text, { rule: 'self != ""', optionalOldSelf: true }),
      }),
    );
    const where = 'spec.validation.openAPIV3Schema.properties[spec].properties';
    expect(causes.sort()).toEqual([
      `${where}[a].x-kubernetes-validations[0].optionalOldSelf | FieldValueInvalid | Invalid value: true: may not be set if oldSelf is not used in rule`,
      `${where}[list].items.x-kubernetes-validations[0].rule | FieldValueInvalid | Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${where}[list]`,
    ]);
  });

  it('refuses rules that may cost too much', async () => {
    const advice =
      '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';
    const list = (items: object, more: object = {}) => ({ type: 'array', items, ...more });
    const where = 'spec.validation.openAPIV3Schema.properties[spec]';
    const rule = `${where}.x-kubernetes-validations[0].rule | FieldValueForbidden | Forbidden: estimated rule cost exceeds budget by factor of`;
    const factor = async (properties: object, expression: string) => {
      const [first = ''] = await refused(specOf(properties, expression));
      expect(first).toContain(`${rule} `);
      expect(first.endsWith(advice)).toBe(true);
      return first.slice(rule.length + 1, -advice.length - 1);
    };
    expect(await factor({ l: list(text) }, 'self.l.all(a, self.l.all(b, a == b))')).toBe('more than 100x');
    expect(await factor({ l: list(integer) }, 'self.l.all(a, a < 10 && a > 1 && a != 5)')).toBe('1.258291x');
    expect(await factor({ l: list(text, { maxItems: 1000 }) }, 'self.l.all(a, a.contains("abc"))')).toBe('31.5x');
    expect(
      await factor(
        { l: list({ ...text, maxLength: 100 }, { maxItems: 3000 }) },
        'self.l.all(a, self.l.exists_one(b, a == b))',
      ),
    ).toBe('39.6x');
    expect(
      await factor(
        { m: { type: 'object', additionalProperties: text } },
        'self.m.all(k, self.m[k].matches("^[a-z]+$"))',
      ),
    ).toBe('more than 100x');
    expect(await factor({ a: text, b: text }, 'self.a.replace("a", "bb").split("").all(x, x == self.b)')).toBe('4.0x');
    expect(
      await factor(
        { l: list({ ...text, maxLength: 60 }, { maxItems: 700 }) },
        'self.l.map(x, x.lowerAscii()).filter(y, y in self.l).join(",").size() > 2',
      ),
    ).toBe('more than 100x');
  });

  it('accepts rules whose cost is bounded', async () => {
    const list = { type: 'array', maxItems: 20, items: { ...text, maxLength: 30 } };
    const { post } = await prepared(
      specOf(
        {
          list,
          name: { ...text, maxLength: 63 },
          map: { type: 'object', maxProperties: 10, additionalProperties: { ...text, maxLength: 5 } },
        },
        'self.list.all(a, self.list.exists_one(b, a == b))',
        '!has(self.name) || self.name.matches("^[a-z]([-a-z0-9]*[a-z0-9])?$")',
        '!has(self.map) || self.map.all(k, self.map[k].size() > 1)',
      ),
    );
    await expectCode(post({ list: ['a', 'b'], name: 'a-b', map: { k: 'vv' } }), 201);
    expect(await causesOf(post({ list: ['a', 'a'], name: 'A', map: { k: 'v' } }))).toHaveLength(3);
  });
}
