import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isJsonObject, type Json, type JsonObject, parseJson } from '../../base/index.ts';
import { decodeProtobuf } from './decode.ts';
import { ProtobufError } from './protobuf-error.ts';
import { body, nested, number, type Part, text, varint } from './wire-writer.testing.ts';

/** Objects that Go wrote in both forms. */
const recorded = parseJson(
  readFileSync(new URL('cases/objects.json', import.meta.url), 'utf8'),
) as unknown as readonly {
  readonly protobuf: string;
  readonly json: JsonObject;
}[];
const cases = recorded.map(({ protobuf, json }) => ({
  kind: String(json['kind']),
  bytes: Uint8Array.from(Buffer.from(protobuf, 'base64')),
  json,
}));

test.each(cases)('a $kind is what its JSON form says', ({ bytes, json }) => {
  const { status, ...rest } = withoutNoise(json) as JsonObject;
  // Only at the top: in a CRD's subresources an empty status means something.
  expect(decodeProtobuf(bytes)).toEqual(isEmptyObject(status) ? rest : withoutNoise(json));
});

test('what kubectl sends for "create deployment" is read without the zeroes that Go writes out', () => {
  const sent =
    'azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EqcBChsKAXgSABoAIgAqADIAOABCAFoICgNhcHASAXgSeggCEgoKCAoDYXBwEgF4GmIKGgoAEgAa' +
    'ACIAKgAyADgAQgBaCAoDYXBwEgF4EkQSJgoBeRIBeSoAMgoKABAAGFAiACoAQgBqAHIAgAEAiAEAkAEAogEAGgAyAEIASgBSAFgAYABoAIIBAIoB' +
    'AJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA';
  const labels = { app: 'x' };
  expect(decodeProtobuf(Buffer.from(sent, 'base64'))).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'x', labels },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'y', image: 'y', ports: [{ containerPort: 80 }] }] },
      },
    },
  });
});

test('a zero stays where it was meant: in a pointer, and where JSON always writes the field', () => {
  const spec = nested(2, number(1, 0), number(5, 0), number(7, 0), nested(3));
  expect(decodeProtobuf(body('apps/v1', 'Deployment', nested(1), spec, nested(3)))).toEqual({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: { replicas: 0, template: {} },
  });
});

test('the zero time is nothing, and the epoch is a time', () => {
  const pod = (...time: Part[]) => decodeProtobuf(body('v1', 'Pod', nested(1, nested(8, ...time))));
  expect(pod()).toEqual({ apiVersion: 'v1', kind: 'Pod' });
  expect(pod(number(1, -62_135_596_800))).toEqual({ apiVersion: 'v1', kind: 'Pod' });
  expect(pod(number(1, 0), number(2, 0))).toMatchObject({ metadata: { creationTimestamp: '1970-01-01T00:00:00Z' } });
  expect(pod(number(1, 253_402_300_799))).toMatchObject({ metadata: { creationTimestamp: '9999-12-31T23:59:59Z' } });
  expect(() => pod(number(1, 253_402_300_800))).toThrow('no such time');
});

test('fields of versions to come are passed over', () => {
  const future = [nested(99, text(1, 'x')), number(1000, 7)];
  expect(decodeProtobuf(body('v1', 'ConfigMap', ...future, nested(1, ...future, text(1, 'm'))))).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'm' },
  });
});

test('a field that comes twice is merged when it is a message, and else the last one counts', () => {
  const twice = [nested(1, text(1, 'a'), text(3, 'n')), nested(1, text(1, 'b'), text(3, ''))];
  expect(decodeProtobuf(body('v1', 'ConfigMap', ...twice))).toMatchObject({ metadata: { name: 'b' } });
  expect(decodeProtobuf(body('v1', 'ConfigMap', ...twice))).not.toHaveProperty('metadata.namespace');
});

test('numbers of a list may come packed behind one length', () => {
  const groups = [number(4, 1), nested(4, varint(2), varint(-3)), number(4, 4)];
  const pod = decodeProtobuf(body('v1', 'Pod', nested(2, nested(14, ...groups))));
  expect(pod).toMatchObject({ spec: { securityContext: { supplementalGroups: [1, 2, -3, 4] } } });
});

test('an entry of a map without a key or a value has the zero of its type', () => {
  const quota = nested(2, nested(1, text(1, 'cpu')), nested(1, nested(2, text(1, '1'))));
  expect(decodeProtobuf(body('v1', 'ResourceQuota', quota))).toMatchObject({ spec: { hard: { cpu: '0', '': '1' } } });
  expect(decodeProtobuf(body('v1', 'Secret', nested(2, text(1, 'a'))))).toMatchObject({ data: { a: '' } });
});

test('DeleteOptions are read in whatever group and version they come', () => {
  for (const apiVersion of ['v1', 'apps/v1', 'meta.k8s.io/v1']) {
    expect(decodeProtobuf(body(apiVersion, 'DeleteOptions', number(1, 0)))).toEqual({
      apiVersion,
      kind: 'DeleteOptions',
      gracePeriodSeconds: 0,
    });
  }
});

test('a kind without a table is refused by its name', () => {
  const unknown = () => decodeProtobuf(body('example.com/v1', 'Ship'));
  expect(unknown).toThrow(expect.objectContaining({ code: 'protobuf-unknown-kind' }));
  expect(unknown).toThrow('no kind "Ship" of version "example.com/v1"');
});

const schemaOf = (depth: number): Part => (depth === 0 ? [] : nested(28, schemaOf(depth - 1)));
const crdOf = (depth: number) => {
  const version = nested(7, text(1, 'v1'), nested(4, nested(1, schemaOf(depth))));
  return body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', nested(2, version));
};

test.each<readonly [string, Uint8Array]>([
  ['an empty body', new Uint8Array()],
  ['JSON', Buffer.from('{"apiVersion":"v1"}')],
  ['an object without a kind', body('v1', '')],
  ['nothing but the magic bytes', Buffer.from('k8s\0')],
  ['a length prefix of four gigabytes', Buffer.from([...Buffer.from('k8s\0'), 0x12, 0xff, 0xff, 0xff, 0xff, 0x0f])],
  ['a compressed object', Uint8Array.from([...body('v1', 'Pod'), ...text(3, 'g\nzip')])],
  ['an object in another format', Uint8Array.from([...body('v1', 'Pod'), ...text(4, 'application/json')])],
  ['a text where a message belongs', body('v1', 'Pod', number(1, 5))],
  ['a JSON text that is none', body('apps/v1', 'ControllerRevision', nested(2, text(1, '{"a":\n}')))],
  ['an IntOrString that is neither', body('policy/v1', 'PodDisruptionBudget', nested(2, nested(1, number(1, 2))))],
  ['nesting without end', crdOf(1000)],
])('%s is refused in one line', (_, bytes) => {
  const refused = () => decodeProtobuf(bytes);
  expect(refused).toThrow(expect.objectContaining({ name: 'ProtobufError', code: 'protobuf-invalid' }));
  expect(refused).toThrow(/^the protobuf body is invalid: [^\n]+$/);
});

test('nesting that a person might write is read', () => {
  expect(decodeProtobuf(crdOf(100))).toMatchObject({ spec: { versions: [{ name: 'v1' }] } });
});

test('a body that was cut or changed anywhere ends in an object or in a ProtobufError', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...cases),
      fc.nat(),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      ({ bytes }, cut, changes) => {
        const copy = bytes.slice(0, 4 + (cut % (bytes.length - 3)));
        for (const [position, value] of changes) if (copy.length > 4) copy[4 + (position % (copy.length - 4))] = value;
        expectObjectOrError(copy);
      },
    ),
    { numRuns: 2000 },
  );
});

test('garbage inside the right envelope ends in an object or in a ProtobufError', () => {
  fc.assert(
    fc.property(fc.constantFrom(...cases), fc.uint8Array({ maxLength: 60 }), ({ json }, garbage) => {
      expectObjectOrError(body(String(json['apiVersion']), String(json['kind']), [...garbage]));
    }),
    { numRuns: 1000 },
  );
});

function expectObjectOrError(bytes: Uint8Array): void {
  try {
    expect(Object.getPrototypeOf(decodeProtobuf(bytes))).toBe(Object.prototype);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ProtobufError);
  }
}

const emptyStructs = ['lastState', 'metadata', 'resources'];

/** Without what Go writes although it says nothing: nulls, and structs that it cannot leave out. */
function withoutNoise(value: Json | undefined): Json {
  // A null in a list is an element like any other.
  if (Array.isArray(value)) return value.map(withoutNoise);
  if (!isJsonObject(value)) return value ?? null;
  const said = Object.entries(value).filter(
    ([key, child]) => child !== null && !(emptyStructs.includes(key) && isEmptyObject(child)),
  );
  return Object.fromEntries(said.map(([key, child]) => [key, withoutNoise(child)]));
}

function isEmptyObject(value: Json | undefined): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

test('a label named __proto__ is an own key', () => {
  const pod = body('v1', 'Pod', nested(1, nested(11, text(1, '__proto__'), text(2, 'x'))));
  expect(JSON.stringify(decodeProtobuf(pod))).toContain('"labels":{"__proto__":"x"}');
});
