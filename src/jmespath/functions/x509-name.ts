import type { PlainObject } from '../values.ts';
import { children, type DerValue, malformed, oidOf, tags, textOf } from './der.ts';

const lists: Readonly<Record<string, string>> = {
  '2.5.4.6': 'Country',
  '2.5.4.10': 'Organization',
  '2.5.4.11': 'OrganizationalUnit',
  '2.5.4.7': 'Locality',
  '2.5.4.8': 'Province',
  '2.5.4.9': 'StreetAddress',
  '2.5.4.17': 'PostalCode',
};
const singles: Readonly<Record<string, string>> = { '2.5.4.5': 'SerialNumber', '2.5.4.3': 'CommonName' };

/** A name with its well-known parts, as Go's pkix.Name. */
export function distinguishedName(value: DerValue | undefined): PlainObject {
  const name: Record<string, unknown> = { SerialNumber: '', CommonName: '', ExtraNames: null, Names: null };
  for (const list of Object.values(lists)) name[list] = null;
  const all: PlainObject[] = [];
  for (const set of children(value)) {
    for (const attribute of children(set, tags.set)) {
      const [type, content] = children(attribute);
      if (content === undefined) throw malformed();
      const oid = oidOf(type);
      const text = textOf(content);
      if (text === undefined) continue;
      all.push({ Type: oid, Value: text });
      const list = lists[oid.join('.')];
      const single = singles[oid.join('.')];
      if (list !== undefined) name[list] = [...((name[list] as string[] | null) ?? []), text];
      else if (single !== undefined) name[single] = text;
    }
  }
  return all.length === 0 ? name : { ...name, Names: all };
}

/** RFC 3339 of a UTCTime (two-digit years from 1950) or a GeneralizedTime. */
export function timeOf(value: DerValue | undefined): string {
  const text = value?.content.toString('latin1') ?? '';
  const full = value?.tag === 0x17 ? (text < '50' ? `20${text}` : `19${text}`) : text;
  const found = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(full);
  if (!found) throw malformed();
  const [, year, month, day, hour, minute, second] = found;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
}
