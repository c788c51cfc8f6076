/**
 * The rules for names, with Kubernetes' own messages, because clients and people search for them. Every validator
 * returns the list of issues; an empty list means valid.
 */
type Validator = (value: string) => readonly string[];

const dnsLabel = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const dnsSubdomain = `${dnsLabel}(\\.${dnsLabel})*`;
const dns1035Label = '[a-z]([-a-z0-9]*[a-z0-9])?';
const qualifiedName = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const labelValue = `(${qualifiedName})?`;

const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const dnsLabelPattern = whole(dnsLabel);
const dnsSubdomainPattern = whole(dnsSubdomain);
const dns1035LabelPattern = whole(dns1035Label);
const qualifiedNamePattern = whole(qualifiedName);
const labelValuePattern = whole(labelValue);

const alphanumericEnds = 'must start and end with an alphanumeric character';
const qualifiedNameRule = `must consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`;
const qualifiedNameSentence = ruleSentence(qualifiedNameRule, qualifiedName, ['MyName', 'my.name', '123-abc']);

/** A name of at most 63 bytes without dots: namespaces, containers, ports. */
export const validateDnsLabel: Validator = (value) => {
  const issues = tooLong(value, 63, 'characters');
  if (dnsLabelPattern.test(value)) return issues;
  if (dnsSubdomainPattern.test(value)) return [...issues, 'must not contain dots'];
  const rule = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and ${alphanumericEnds}`;
  return [...issues, ruleSentence(rule, dnsLabel, ['my-name', '123-abc'])];
};

/** The name of most objects. */
export const validateDnsSubdomain: Validator = (value) => subdomainIssues(value, 'characters');

function subdomainIssues(value: string, unit: Unit): readonly string[] {
  const issues = tooLong(value, 253, unit);
  if (dnsSubdomainPattern.test(value)) return issues;
  const rule = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and ${alphanumericEnds}`;
  return [...issues, ruleSentence(rule, dnsSubdomain, ['example.com'])];
}

/** A label that starts with a letter: services. */
export const validateDns1035Label: Validator = (value) => {
  const issues = tooLong(value, 63, 'characters');
  if (dns1035LabelPattern.test(value)) return issues;
  const rule =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...issues, ruleSentence(rule, dns1035Label, ['my-name', 'abc-123'])];
};

/** `[prefix/]name`: label keys, finalizers, resource names. */
export const validateQualifiedName: Validator = (value) => {
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedNameSentence} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const issues = parts.length === 2 ? prefixIssues(parts[0] ?? '') : [];
  if (name === '') issues.push('name part must be non-empty');
  else for (const issue of tooLong(name, 63, 'bytes')) issues.push(`name part ${issue}`);
  if (!qualifiedNamePattern.test(name)) issues.push(`name part ${qualifiedNameSentence}`);
  return issues;
};

export const validateLabelKey: Validator = validateQualifiedName;

export const validateLabelValue: Validator = (value) => {
  const issues = tooLong(value, 63, 'bytes');
  if (labelValuePattern.test(value)) return issues;
  const rule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and ${alphanumericEnds}`;
  return [...issues, ruleSentence(rule, labelValue, ['MyValue', 'my_value', '12345'])];
};

/** Like a label key, but upper case is allowed in the prefix too. */
export const validateAnnotationKey: Validator = (value) => validateQualifiedName(value.toLowerCase());

/** All annotations of one object together, keys and values in bytes. */
export const maxAnnotationsBytes = 256 * 1024;

/** The issues of all annotations of an object; each message names its key. */
export function validateAnnotations(annotations: Readonly<Record<string, string>>): readonly string[] {
  let bytes = 0;
  const issues: string[] = [];
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const issue of validateAnnotationKey(key)) issues.push(`${JSON.stringify(key)}: ${issue}`);
  }
  if (bytes > maxAnnotationsBytes) issues.push(`may not be more than ${maxAnnotationsBytes} bytes`);
  return issues;
}

/** A `generateName` may end in a dash, which the random suffix follows. */
export function maskTrailingDash(prefix: string): string {
  return prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -2)}a` : prefix;
}

function prefixIssues(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return subdomainIssues(prefix, 'bytes').map((issue) => `prefix part ${issue}`);
}

/** Bytes are what counts; names of objects are told about characters, labels about bytes. */
type Unit = 'characters' | 'bytes';

function tooLong(value: string, maxBytes: number, unit: Unit): string[] {
  return Buffer.byteLength(value) > maxBytes ? [`must be no more than ${maxBytes} ${unit}`] : [];
}

function ruleSentence(rule: string, pattern: string, examples: readonly string[]): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}
