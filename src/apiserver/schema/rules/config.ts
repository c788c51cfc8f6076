import { type FieldError, invalid, required, tooLong } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, numberIn, objectIn, stringIn } from '../value.ts';
import { checkConfigKey } from './common.ts';

/** What a ConfigMap or a Secret may hold altogether. */
const maxConfigBytes = 1024 * 1024;

export function checkConfigMap(object: Fields, errors: FieldError[]): void {
  const data = objectIn(object, 'data') ?? {};
  const binary = objectIn(object, 'binaryData') ?? {};
  let bytes = 0;
  for (const key in data) {
    const where = Path.of('data').key(key);
    checkConfigKey(key, where, errors);
    if (Object.hasOwn(binary, key)) errors.push(invalid(where, key, 'duplicate of key present in binaryData'));
    bytes += Buffer.byteLength(String(data[key]));
  }
  for (const key in binary) {
    checkConfigKey(key, Path.of('binaryData').key(key), errors);
    bytes += decodedBytes(binary[key]);
  }
  if (bytes > maxConfigBytes) errors.push(tooLong('[]', maxConfigBytes));
}

const keysByType: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
};

export function checkSecret(object: Fields, errors: FieldError[]): void {
  const data = objectIn(object, 'data') ?? {};
  const where = Path.of('data');
  let bytes = 0;
  for (const key in data) {
    checkConfigKey(key, where.key(key), errors);
    bytes += decodedBytes(data[key]);
  }
  if (bytes > maxConfigBytes) errors.push(tooLong(where, maxConfigBytes));
  const type = stringIn(object, 'type');
  for (const key of (Object.hasOwn(keysByType, type) ? keysByType[type] : undefined) ?? [])
    if (!(key in data)) errors.push(required(where.key(key)));
  if (type === 'kubernetes.io/basic-auth' && !('username' in data) && !('password' in data)) {
    errors.push(required(where.key('username')), required(where.key('password')));
  }
  if (type === 'kubernetes.io/dockercfg' || type === 'kubernetes.io/dockerconfigjson') {
    const key = keysByType[type]![0]!;
    if (key in data && !isJsonObjectText(data[key])) {
      // The contents never appear in a message.
      errors.push(invalid(where.key(key), '<secret contents redacted>', 'invalid character in JSON'));
    }
  }
  if (type === 'kubernetes.io/service-account-token') {
    const account = 'kubernetes.io/service-account.name';
    if (stringIn(objectIn(objectIn(object, 'metadata'), 'annotations'), account) === '') {
      errors.push(required(Path.of('metadata', 'annotations').key(account)));
    }
  }
}

function decodedBytes(base64: unknown): number {
  return typeof base64 === 'string' ? Buffer.byteLength(base64, 'base64') : 0;
}

function isJsonObjectText(base64: unknown): boolean {
  try {
    const value: unknown = JSON.parse(Buffer.from(String(base64), 'base64').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return false;
    throw thrown;
  }
}

/** An event is kept in the namespace of what it is about; `default` serves what has none. */
export function checkEvent(object: Fields, errors: FieldError[]): void {
  const field = 'involvedObject' in object ? 'involvedObject' : 'regarding';
  const about = stringIn(objectIn(object, field), 'namespace');
  const namespace = stringIn(objectIn(object, 'metadata'), 'namespace');
  if (about === '' ? namespace !== 'default' && namespace !== 'kube-system' : about !== namespace) {
    errors.push(invalid(Path.of(field, 'namespace'), about, 'does not match event.namespace'));
  }
}

export function checkLease(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec');
  const duration = numberIn(spec, 'leaseDurationSeconds');
  const where = Path.of('spec');
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid(where.child('leaseDurationSeconds'), duration, 'must be greater than 0'));
  }
  const transitions = numberIn(spec, 'leaseTransitions');
  if (transitions !== undefined && transitions < 0) {
    errors.push(invalid(where.child('leaseTransitions'), transitions, 'must be greater than or equal to 0'));
  }
}
