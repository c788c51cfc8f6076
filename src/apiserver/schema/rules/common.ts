import { type FieldError, invalid, notSupported, required } from '../field-error.ts';
import type { Path } from '../path.ts';
import { type Fields, isUnset, numberIn, stringIn } from '../value.ts';
import { negative } from './metadata.ts';

/** An error unless the string in `key` is one of `supported`; an absent one counts as required. */
export function checkOneOf(
  holder: Fields,
  key: string,
  supported: readonly string[],
  where: Path,
  errors: FieldError[],
): void {
  const value = stringIn(holder, key);
  if (value === '') errors.push(required(where.child(key)));
  else if (!supported.includes(value)) errors.push(notSupported(where.child(key), value, supported));
}

/** As `checkOneOf`, but the field may be absent. */
export function checkOptionalOneOf(
  holder: Fields,
  key: string,
  supported: readonly string[],
  where: Path,
  errors: FieldError[],
): void {
  if (!isUnset(holder[key])) checkOneOf(holder, key, supported, where, errors);
}

export function checkPort(port: number, where: Path, errors: FieldError[]): void {
  if (port < 1 || port > 65_535) errors.push(invalid(where, port, 'must be between 1 and 65535, inclusive'));
}

export function portNameIssues(name: string): string[] {
  const issues: string[] = [];
  if (name.length > 15) issues.push('must be no more than 15 characters');
  if (!/^[-a-z0-9]+$/.test(name)) issues.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!/[a-z]/.test(name)) issues.push('must contain at least one letter (a-z)');
  if (name.includes('--')) issues.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) issues.push('must not begin or end with a hyphen');
  return issues;
}

/** A key of a ConfigMap or a Secret. */
export function checkConfigKey(key: string, where: Path, errors: FieldError[]): void {
  if (key.length > 253) errors.push(invalid(where, key, 'must be no more than 253 characters'));
  if (!/^[-._a-zA-Z0-9]+$/.test(key)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    const examples =
      "(e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
    errors.push(invalid(where, key, `${rule} ${examples}`));
  }
  if (key === '.' || key === '..') errors.push(invalid(where, key, `may not be '${key}'`));
  else if (key.startsWith('..')) errors.push(invalid(where, key, "may not start with '..'"));
}

/** An error for every one of these numbers that is below zero. */
export function checkNonNegative(holder: Fields, keys: readonly string[], where: Path, errors: FieldError[]): void {
  for (const key of keys) {
    const value = numberIn(holder, key) ?? 0;
    if (value < 0) errors.push(invalid(where.child(key), value, negative));
  }
}
