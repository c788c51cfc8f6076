/** Texts that the functions of CEL's libraries read: right ones, wrong ones and those at the edges. */
const quantities = [
  ...['0', '1', '-1', '+3', '.5', '5.', '1Gi', '1.5Gi', '100m', '-5Mi', '1e3', '1E3', '1E', '1k', '1K', '8Ei', '1Pi'],
  ...['', 'Ki', '1ee', '1Mi5', '0x1', ' 1', '1e-9', '0.1n', '1u', '1.0000000001', '1.23456789012Ki', '1e19', '1e-30'],
  ...['9223372036854775807', '9223372036854775808', '-9223372036854775808', '12345678901234567890', '1000', '1024Ki'],
  ...['1.0', '1000m', '2.50', '10E', '9E', '0.0', '0e5', '1e300'],
];
const urls = [
  ...['https://example.com', 'https://user:pw@example.com:8080/a/b?x=1&x=2#f', 'http://[::1]:80/', '/path', '//host/p'],
  ...['', 'a', 'mailto:x@y.z', 'http://', 'http:', 'https://a b/', '/a%20b', '/a%zz', 'http://h:port/', 'HTTP://H/?q'],
  ...['http://h/?a=1;b=2', 'http://h/?a=%41&b', 'http://h?a=b+c', ':x', '../up', 'https://é.example/ü', '/a?b?c#d#e'],
  ...['https://[::1', 'https://a/[x]', 'ftp://h/;p', 'http://h:/', "http://h/!$&'()*+,;=:@", 'http://h%41/', '*', '?a'],
];
const addresses = [
  ...['127.0.0.1', '10.0.0.1', '0.0.0.0', '255.255.255.255', '169.254.1.1', '224.0.0.1', '239.1.1.1', '8.8.8.8'],
  ...['::1', '::', 'fe80::1', 'ff02::1', '2001:db8::1', '2001:DB8::0001', '::ffff:1.2.3.4', 'fe80::1%eth0', '1::2::3'],
  ...['', '1.2.3', '1.2.3.4.5', '01.2.3.4', '256.1.1.1', '1.2.3.a', 'x', ':::', '1:2:3:4:5:6:7:8:9', '::1.2.3.4'],
];
const prefixes = [
  ...['10.0.0.0/8', '192.168.1.7/24', '0.0.0.0/0', '10.0.0.1/32', '::/0', '2001:db8::/32', 'fe80::1/10', '::1/128'],
  ...['', '10.0.0.0', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/08', '10.0.0.0/a', '/8', '::ffff:1.2.3.4/96', '1.2.3/8'],
  ...['fe80::1%e/64', '10.0.0.0/8/8', '::/129', '10.0.0.0/', '10.0.0.0/+8'],
];
const versions = [
  ...['1.2.3', '0.0.0', '1.2.3-alpha.1', '1.2.3-alpha.beta', '1.2.3+build.5', '1.2.3-rc.1+b', '2.0.0', '10.0.0'],
  ...['v1.2.3', '1.2', '1', '01.2.3', '1.02.3', '1.2.03', '1.2.3-', '1.2.3+', '1.2.3-01', '1.2.3-a..b', '1.2.3.4', ''],
  ...[
    'a.b.c',
    '1.2.x',
    '-1.2.3',
    '1..3',
    '18446744073709551615.0.0',
    '18446744073709551616.0.0',
    '1.2-rc',
    'v01.002.3',
  ],
  ...['1.2.3-é', '00.0.00', '1.2.3-0', '1.2.3--', '1.2.3+01'],
];
const formats = [
  ...['dns1123Label', 'dns1123Subdomain', 'dns1035Label', 'qualifiedName', 'dns1123LabelPrefix', 'labelValue', 'uri'],
  ...[
    'dns1123SubdomainPrefix',
    'dns1035LabelPrefix',
    'uuid',
    'byte',
    'date',
    'datetime',
    '',
    'other',
    'URI',
    'toString',
  ],
];
const formatted = [
  ...['abc', 'a-b', 'a.b', '-a', 'a-', '1a', 'A', 'a_b', 'k8s.io/name', 'a/b/c', '/a', 'a/', '*.a', 'a..b', 'é', ''],
  ...['x'.repeat(63), 'x'.repeat(64), `${'x'.repeat(60)}.`.repeat(4), `${'x'.repeat(254)}`, `a/${'x'.repeat(64)}`],
  ...['123e4567-e89b-12d3-a456-426614174000', '123E4567E89B12D3A456426614174000', 'YWJj', 'YWI=', 'YW==', 'Y', 'YWI'],
  ...['2024-02-29', '2023-02-29', '2024-13-01', '24-1-1', '2024-02-29T10:20:30Z', '2024-02-29t10:20:30.5+01:00'],
  ...['2024-02-29 10:20:30Z', '2024-02-29T24:00:00Z', '2024-02-29T10:20:30', '2024-02-29T10:20:60Z', '0000-01-01'],
];
const patterns = [
  ...[
    '^a',
    '[0-9]+',
    'b|c',
    '.*',
    '',
    'a*',
    '(a)(b)?',
    '(?i)ABC',
    '\\d',
    '\\bworld\\b',
    '[[:alpha:]]+',
    '\\p{L}',
    '^$',
  ],
  ...[
    '(',
    '[',
    'a{2,1}',
    '*',
    '(?=a)',
    '\\1',
    '(?P<n>a)',
    'a{1001}',
    '\\',
    '(?<n>b)',
    'x{0,3}?',
    '\\pN',
    '[^a-c]',
    'é',
  ],
];
/** Names of zones are files in Go: whether a name leads through a file is told by the system. */
export const zones = [
  ...['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', '+01:00', '-07:30', '02:00', '', 'Z', 'GMT', 'Local'],
  ...['Nowhere/X', '+1:00', '+25:00', '+00:60', '-00:00', '+01', 'utc', '../UTC', '+01:00:00', 'a:b', '-08:00'],
];
const durations = [
  ...['1h', '-90s', '1.5s', '0', '1h2m3s', '1ms', '1us', '1µs', '1ns', '300h', '1d', '', '-', '1', '1.s', '.5h', '+5m'],
  ...[
    '2562047h47m16s',
    '9223372036s',
    '9223372037s',
    '106751d',
    '1h 2m',
    '-.s',
    '1e3s',
    '1h-1m',
    '315576000000s',
    '0.3ns',
  ],
];
const times = [
  ...['2023-01-31T10:20:30Z', '1999-12-31T23:59:59.5+01:00', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', ''],
  ...['2024-02-29T10:20:30Z', '2023-02-29T10:20:30Z', '2023-01-31', '2023-01-31T10:20:30', '2023-01-31T24:00:00Z'],
  ...['2023-01-31T10:20:30.123456789Z', '2023-01-31t10:20:30z', '2023-01-31T10:20:60Z', '0000-01-01T00:00:00Z'],
  ...['10000-01-01T00:00:00Z', '2023-01-31T10:20:30+24:00', '2023-01-31T1:20:30Z', '2023-01-31T10:20:30,5Z'],
];
const numbers = [
  ...[
    '0',
    '1',
    '-1',
    '42',
    '1.5',
    '-0.25',
    '1e3',
    '0x10',
    '',
    ' 1',
    '+1',
    '1_000',
    'NaN',
    'Infinity',
    '-Infinity',
    'inf',
  ],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '18446744073709551616',
    '-9223372036854775809',
    '1e400',
    '.5',
    '5.',
  ],
  ...['true', 'TRUE', 'True', 't', 'F', 'tRUE', '-0', '00', '1u', '0b1', '0x1p-2', '1e', 'é'],
];
const templates = [
  ...['%s', '%d', '%f', '%e', '%x', '%X', '%o', '%b', '%.3f', '%.2e', '%%', '%', 'a %s b %d', '%s%s%s', '%.f', '%.20e'],
  ...['', 'plain', '%q', '%5d', '%.0f', '%.1e', '%-s', '%s %', '%.3d', '%.3s', '%é'],
];
const encoded = [
  'YWJj',
  'YWI=',
  'YWI',
  'YQ==',
  'YQ',
  '',
  'Y',
  '=',
  'YWJj\n',
  'YW Jj',
  '_-8=',
  '+/8=',
  'YQ=',
  'YQ===',
  'é',
];
const replacements = ['', 'x', '\\0', '\\1', '\\2', '\\\\', '\\', '\\a', '$1', '<\\1>', 'é'];

type Domain = readonly string[];

/** What the arguments of a function are read as, by its name; the receiver counts. Others are any texts. */
export const domains: Readonly<Record<string, readonly (Domain | undefined)[]>> = {
  ...all(['quantity', 'isQuantity'], [quantities]),
  ...all(['url', 'isURL'], [urls]),
  ...all(['ip', 'isIP', 'ip.isCanonical'], [addresses]),
  ...all(['cidr', 'isCIDR'], [prefixes]),
  containsIP: [undefined, addresses],
  containsCIDR: [undefined, prefixes],
  ...all(['semver', 'isSemver'], [versions]),
  'format.named': [formats],
  validate: [undefined, [...formatted, ...urls]],
  ...all(['matches', 'find', 'findAll', 'regex.extract', 'regex.extractAll'], [undefined, patterns]),
  'regex.replace': [undefined, patterns, replacements],
  ...all(
    [
      'FullYear',
      'Month',
      'DayOfYear',
      'DayOfMonth',
      'Date',
      'DayOfWeek',
      'Hours',
      'Minutes',
      'Seconds',
      'Milliseconds',
    ].map((field) => `get${field}`),
    [undefined, zones],
  ),
  duration: [durations],
  timestamp: [times],
  ...all(['int', 'uint', 'double', 'bool'], [numbers]),
  format: [templates],
  'base64.decode': [encoded],
};

function all(names: readonly string[], of: readonly (Domain | undefined)[]): Record<string, typeof of> {
  return Object.fromEntries(names.map((name) => [name, of]));
}

/** Values that only functions make, as literals. */
export const made = {
  quantity: ["quantity('1Gi')", "quantity('100m')", "quantity('-2')", "quantity('1.5')"],
  url: ["url('https://user@example.com:80/a?b=c')", "url('/a%20b')"],
  ip: ["ip('10.0.0.1')", "ip('::1')", "ip('2001:db8::1')"],
  cidr: ["cidr('10.0.0.0/8')", "cidr('2001:db8::/32')", "cidr('192.168.1.7/24')"],
  semver: ["semver('1.2.3')", "semver('1.2.3-rc.1')", "semver('0.10.0')"],
  format: formats.slice(0, 7).map((name) => `format.${name}()`),
  type: ['int', 'string', 'type(1.5)', 'list', 'net.IP', 'google.protobuf.Timestamp', 'optional_type', 'null_type'],
} as const;

export const letters = [...'0159aZ.-+:/%[]@ _é#?=&{}()*\\\'"', '😀', '\u0000', '\n', '\t', '\u0085', '\ufeff'];

/** Texts in the other ways of writing them. */
export const writtenTexts = [
  '"a\\"b"',
  "r'\\d'",
  "'''a'b\n'''",
  '"""x"y"""',
  "'\\u00e9\\U0001F600\\x41\\101'",
  "'\\a\\b\\f\\v\\?\\`'",
  "R'a'",
];
