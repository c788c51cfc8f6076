import fc from 'fast-check';

/** In every language of policies; of type dyn, so that nearly anything may be done with them. */
const values = [
  ...['object', 'variables', 'object.metadata.name', 'object.metadata.?labels', "object.metadata.?labels['a']"],
  ...['object.spec.containers', 'object.?spec.?containers.orValue([])', 'object.data', "http.Get('http://a.example/')"],
  ...["http.Post('http://a.example/', object)", "globalContext.Get('g')", "image.GetMetadata('a')", "'1.5'", "'10m'"],
  ...["parseImageReference('a:1').tag()", "json.unmarshal('[1, {}]')", "yaml.parse('a: 1')", "cidr('fe80::1%e/64')"],
  ...["ip('::1')", "url('/a%zz')", "semver('1.2')", "quantity('1e9999')", "quantity('1Gi')", "x509.decode('a')"],
  ...[
    "gzip.decompress(b'a')",
    "random('[a-z]{3}')",
    'time.now()',
    "duration('1h')",
    "timestamp('2024-01-01T00:00:00Z')",
  ],
  ...[
    'null',
    'true',
    '1',
    '-9223372036854775808',
    '1u',
    '0.0 / 0.0',
    "'a'",
    "'é😀'",
    "b'\\xff'",
    '[]',
    '{}',
    '[[1], []]',
  ],
  ...['optional.none()', 'type(1)', "{'a': object}", '[object, object]', "'%s %d'", "'^(a+)+$'", "format.named('uri')"],
];
/** In some languages, or of a wrong type: what has them is often refused. */
const rare = [
  ...['oldObject', 'request', 'namespaceObject', 'variables.v', 'exceptions.allowedImages', 'request.operation'],
  ...[
    "resource.Get('v1', 'configmaps', 'default', 'a')",
    "resource.List('v1', 'pods').items",
    '[1, object]',
    'nothing',
  ],
  ...["resource.Get('v1', 'secrets', 'a')", "resource.Post('v1', 'configmaps', object)", 'request.userInfo.username'],
];
const loops = ['map', 'filter', 'all', 'exists', 'exists_one', 'sortBy', 'optMap', 'optFlatMap'];
const plainMethods = [
  ...['size', 'trim', 'value', 'hasValue', 'sum', 'min', 'sort', 'distinct', 'flatten', 'join', 'first', 'unwrapOpt'],
  ...['getHours', 'getQuery', 'masked', 'major', 'asInteger', 'isSorted', 'reverse', 'lowerAscii', 'getMonth'],
];
const methods = [
  ...['contains', 'matches', 'find', 'findAll', 'split', 'format', 'orValue', 'or', 'add', 'validate', 'containsIP'],
  ...['indexOf', 'substring', 'charAt', 'compareTo', 'join', 'flatten', 'getHours', 'startsWith', 'lastIndexOf'],
];
const functions = ['dyn', 'string', 'int', 'double', 'bytes', 'type', 'size', 'sha256', 'json.marshal', 'math.abs'];
const operators = ['+', '-', '*', '/', '%', '==', '!=', '<', '>=', '&&', '||', 'in'];

type Parts = readonly [string, string, string];
const operation = ([a, by, b]: Parts) => `dyn(${a} ${by} ${b})`;
const call = ([a, name, b]: Parts) => `dyn(${a}.${name}(${b}))`;
const loop = ([a, name, b]: Parts) => `dyn(${a}.${name}(x, dyn(x) == 1 ? ${b} : dyn(x)))`;

const tree = fc.letrec<{ readonly any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 12, arbitrary: fc.constantFrom(...values).map((value) => `dyn(${value})`) },
    { weight: 1, arbitrary: fc.constantFrom(...rare).map((value) => `dyn(${value})`) },
    { weight: 3, arbitrary: fc.tuple(tie('any'), fc.constantFrom(...operators), tie('any')).map(operation) },
    { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...functions), tie('any')).map(([f, a]) => `dyn(${f}(${a}))`) },
    {
      weight: 2,
      arbitrary: fc.tuple(tie('any'), fc.constantFrom(...plainMethods)).map(([a, f]) => `dyn(${a}.${f}())`),
    },
    { weight: 2, arbitrary: fc.tuple(tie('any'), fc.constantFrom(...methods), tie('any')).map(call) },
    { weight: 2, arbitrary: fc.tuple(tie('any'), fc.constantFrom(...loops), tie('any')).map(loop) },
    { weight: 1, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `dyn(${a}[${b}])`) },
    { weight: 1, arbitrary: fc.tuple(tie('any'), tie('any'), tie('any')).map(([a, b, c]) => `(${a} ? ${b} : ${c})`) },
    { weight: 1, arbitrary: fc.tuple(tie('any'), tie('any')).map(([a, b]) => `cel.bind(y, ${a}, dyn(${b} == y))`) },
  ),
}));

const letter = fc.oneof(
  fc.constantFrom(...'()[]{}.,?:"\'`\\%/=!&|<>+-*x0 \n'),
  fc.constantFrom('😀', '\ud800', '\u0000', '\u2028', 'é', "'''", '//', '?.', '[?', '\\x', '\\u12', '0x', '1e'),
);
const change = fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(3), letter);

/** The text with some of its characters replaced, so that it is mostly no expression any more. */
const changed = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 3 })).map(([text, changes]) =>
    changes.reduce((current, [place, length, inserted]) => {
      const at = Math.floor(place * current.length);
      return current.slice(0, at) + inserted + current.slice(at + length);
    }, text),
  );

/** Expressions of any type, some of them not even expressions. */
export const expressions: fc.Arbitrary<string> = fc.oneof(
  { weight: 19, arbitrary: tree.any },
  { weight: 1, arbitrary: changed(tree.any) },
);

/** Mostly of type bool, as validations and conditions must be. */
export const booleans: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(tree.any, tree.any).map(([a, b]) => `${a} == ${b}`) },
  { weight: 4, arbitrary: tree.any.map((list) => `${list}.exists(x, x == 1)`) },
  { weight: 8, arbitrary: fc.constantFrom('true', 'false', "object.metadata.name != ''", 'has(object.spec.a)') },
  { weight: 1, arbitrary: expressions },
);
