import { CallFailure } from '../errors.ts';
import type { PlainObject } from '../values.ts';
import { children, type DerValue, isTrue, oidOf, readAll, tags, textOf } from './der.ts';
import { type Extension, readExtensions } from './x509-extensions.ts';

const extensionRequest = '1.2.840.113549.1.9.14';

export interface RequestAttributes {
  readonly attributes: readonly PlainObject[] | null;
  readonly extensions: readonly Extension[];
}

/** The attributes of a certificate request, and the extensions that one of them asks for. */
export function requestAttributes(value: DerValue | undefined): RequestAttributes {
  const attributes: PlainObject[] = [];
  const extensions: Extension[] = [];
  for (const attribute of value?.tag === 0xa0 ? readAll(value.content) : []) {
    const [type, values] = children(attribute);
    const oid = oidOf(type);
    const pairs = values === undefined ? undefined : tryPairs(values);
    if (pairs !== undefined) attributes.push({ Type: oid, Value: pairs });
    if (oid.join('.') === extensionRequest) extensions.push(...children(values, tags.set).flatMap(readExtensions));
  }
  return { attributes: attributes.length === 0 ? null : attributes, extensions };
}

/** Go keeps only attributes made of pairs of a type and a value. */
function tryPairs(set: DerValue): unknown[] | undefined {
  try {
    return children(set, tags.set).map((list) =>
      children(list).map((pair) => {
        const [type, value] = children(pair);
        return { Type: oidOf(type), Value: value === undefined ? null : plainValue(value) };
      }),
    );
  } catch (thrown) {
    if (thrown instanceof CallFailure) return undefined;
    throw thrown;
  }
}

function plainValue(value: DerValue): unknown {
  if (value.tag === tags.boolean) return isTrue(value);
  return value.tag === tags.octetString ? value.content.toString('base64') : (textOf(value) ?? null);
}

const algorithms: Readonly<Record<string, number>> = {
  '1.2.840.113549.1.1.4': 2,
  '1.2.840.113549.1.1.5': 3,
  '1.3.14.3.2.29': 3,
  '1.2.840.113549.1.1.11': 4,
  '1.2.840.113549.1.1.12': 5,
  '1.2.840.113549.1.1.13': 6,
  '1.2.840.10040.4.3': 7,
  '2.16.840.1.101.3.4.3.2': 8,
  '1.2.840.10045.4.1': 9,
  '1.2.840.10045.4.3.2': 10,
  '1.2.840.10045.4.3.3': 11,
  '1.2.840.10045.4.3.4': 12,
  '1.3.101.112': 16,
};
const pss = '1.2.840.113549.1.1.10';
// The hash of a PSS signature, by the last arc of its object identifier 2.16.840.1.101.3.4.2.
const pssHash = Buffer.from('06096086480165030402', 'hex');

/** The number Go gives the algorithm; 0 for one it does not know. */
export function signatureAlgorithm(value: DerValue | undefined): number {
  const [type, parameters] = children(value);
  const oid = oidOf(type).join('.');
  if (oid !== pss) return algorithms[oid] ?? 0;
  const at = parameters?.whole.indexOf(pssHash) ?? -1;
  const arc = at === -1 ? 0 : (parameters?.whole[at + pssHash.length] ?? 0);
  return arc >= 1 && arc <= 3 ? 12 + arc : 0;
}
