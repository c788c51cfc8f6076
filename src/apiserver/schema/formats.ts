import { isIP, isIPv6 } from 'node:net';

/** Checks of the string formats that custom resources may name; the names are without their dashes. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-fA-F]{24}$/.test(text),
  uri: isRequestUri,
  email: (text) => /^([^<>]*<)?[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+>?$/.test(text),
  hostname: isHostname,
  ipv4: (text) => text.includes('.') && isIpSloppy(text),
  ipv6: (text) => text.includes(':') && isIPv6(text) && !text.includes('%'),
  cidr: isCidr,
  mac: (text) =>
    /^([0-9a-fA-F]{2}[:-]){5}([0-9a-fA-F]{2}|([0-9a-fA-F]{2}[:-]){2}[0-9a-fA-F]{2}|([0-9a-fA-F]{2}[:-]){14}[0-9a-fA-F]{2})$|^([0-9a-fA-F]{4}\.){2}([0-9a-fA-F]{4}|([0-9a-fA-F]{4}\.){1}[0-9a-fA-F]{4}|([0-9a-fA-F]{4}\.){7}[0-9a-fA-F]{4})$/.test(
      text,
    ),
  uuid: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid3: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i.test(text),
  uuid4: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  uuid5: (text) => /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text),
  hexcolor: (text) => /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  rgbcolor: (text) =>
    /^rgb\(\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*,\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*\)$/.test(
      text,
    ),
  byte: (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text !== '',
  password: () => true,
  date: isDate,
  duration: isDuration,
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text),
  k8slongname: (text) =>
    text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text),
};

/** The format a value of this type is held to; empty for one that Kubernetes ignores. */
export function knownFormat(type: string, format: string | undefined): string {
  if (format === undefined || format === '') return '';
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : '';
  if (type === 'number') return format === 'float' || format === 'double' ? format : '';
  if (type !== '' && type !== 'string') return '';
  return Object.hasOwn(checks, format.replaceAll('-', '')) ? format : '';
}

/** True when the text has the format, or the format is not one for text. */
export function hasFormat(format: string, text: string): boolean {
  return checks[format.replaceAll('-', '')]?.(text) ?? true;
}

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.getUTCDate() === Number(match[3]);
}

function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(.[0-9]+)?(z|([+-]\d{2}:\d{2}))$/.exec(time);
  return match !== null && match[1]! <= '23' && match[2]! <= '59' && match[3]! <= '59';
}

const durationUnits =
  'ns|nano|nanosecond|us|µs|μs|micro|microsecond|ms|milli|millisecond|s|sec|second|m|min|minute|h|hr|hour|d|day|w|wk|week';
const goDuration = /^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/;
const wordyDuration = new RegExp(`((\\d+)\\s*(${durationUnits})s?)`);

function isDuration(text: string): boolean {
  return goDuration.test(text) || wordyDuration.test(text);
}

function isRequestUri(text: string): boolean {
  if (text === '' || /[\p{Cc} ]/u.test(text)) return false;
  if (text.startsWith('/')) return true;
  return /^[a-zA-Z][a-zA-Z0-9+.-]*:/.test(text) && URL.canParse(text);
}

const hostnameLabels =
  /^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9\-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.))+([a-zA-Z\p{L}]){2,63})$/u;

function isHostname(text: string): boolean {
  // The length is checked first: it also bounds the work of the expression.
  if (Buffer.byteLength(text) > 255) return false;
  return text.split('.').every((label) => Buffer.byteLength(label) <= 63) && hostnameLabels.test(text);
}

// Kubernetes still takes leading zeros in IPv4 addresses, as decimal.
function isIpSloppy(text: string): boolean {
  return isIP(text.replace(/(^|\.)0+(?=\d)/g, '$1')) !== 0;
}

function isCidr(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash === -1 || !/^\d{1,3}$/.test(text.slice(slash + 1))) return false;
  const address = text.slice(0, slash);
  return isIpSloppy(address) && Number(text.slice(slash + 1)) <= (address.includes(':') ? 128 : 32);
}

function isIsbn10(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{9}[\dX]$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += (10 - i) * (digits[i] === 'X' ? 10 : Number(digits[i]));
  return sum % 11 === 0;
}

function isIsbn13(text: string): boolean {
  const digits = text.replace(/[\s-]/g, '');
  if (!/^\d{13}$/.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += (i % 2 === 0 ? 1 : 3) * Number(digits[i]);
  return sum % 10 === 0;
}

function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (
    !/^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/.test(
      digits,
    )
  )
    return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}
