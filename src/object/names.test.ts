import { describe, expect, test } from 'vitest';
import {
  maskTrailingDash,
  validateAnnotationKey,
  validateAnnotations,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validateQualifiedName,
} from './names.ts';

describe('names', () => {
  test('valid ones have no issues', () => {
    expect(validateDnsLabel('my-name')).toEqual([]);
    expect(validateDnsSubdomain('a.b-c.9')).toEqual([]);
    expect(validateDns1035Label('abc-1')).toEqual([]);
    expect(validateQualifiedName('example.com/My.Name')).toEqual([]);
    expect(validateLabelValue('')).toEqual([]);
    expect(validateLabelValue('a_B.c-1')).toEqual([]);
    expect(validateAnnotationKey('Example.COM/name')).toEqual([]);
  });

  test('a label with dots gets a message about the dots', () => {
    expect(validateDnsLabel('a.b')).toEqual(['must not contain dots']);
  });

  test('the messages are those of Kubernetes', () => {
    expect(validateDnsSubdomain('A')).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
    expect(validateDnsLabel('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  test('length is counted in bytes', () => {
    expect(validateDnsLabel('a'.repeat(63))).toEqual([]);
    expect(validateDnsLabel('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
    expect(validateLabelValue('é'.repeat(32))[0]).toBe('must be no more than 63 bytes');
  });

  test('rejects a trailing line break', () => {
    expect(validateDnsLabel('a\n')).not.toEqual([]);
    expect(validateLabelValue('a\n')).not.toEqual([]);
  });

  test('a qualified name has at most one slash and both parts', () => {
    expect(validateQualifiedName('a/b/c')[0]).toContain('with an optional DNS subdomain prefix');
    expect(validateQualifiedName('/b')).toEqual(['prefix part must be non-empty']);
    expect(validateQualifiedName('a/')[0]).toBe('name part must be non-empty');
    expect(validateQualifiedName('A_/b')[0]).toMatch(/^prefix part a lowercase RFC 1123 subdomain/);
  });

  test('annotations have a limit on their total size', () => {
    expect(validateAnnotations({ a: 'x'.repeat(1000) })).toEqual([]);
    expect(validateAnnotations({ a: 'x'.repeat(256 * 1024) })).toEqual(['may not be more than 262144 bytes']);
    expect(validateAnnotations({ 'a b': '' })[0]).toMatch(/^"a b": name part/);
  });

  test('a generateName may end in a dash', () => {
    expect(validateDnsSubdomain(maskTrailingDash('job-'))).toEqual([]);
    expect(validateDnsSubdomain(maskTrailingDash('-'))).not.toEqual([]);
  });
});
