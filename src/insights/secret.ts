import { inspect } from 'node:util';
import type { Fields, Logger } from '../base/index.ts';

const mask = '[redacted]';

/** A value that no log, template or error can show by accident; only `reveal` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return mask;
  }

  toJSON(): string {
    return mask;
  }

  [inspect.custom](): string {
    return mask;
  }
}

type Redact = (text: string) => string;

/** Masks the secret wherever it occurs in a text, also URL-encoded or in base64. */
export function createRedactor(secret: Secret): Redact {
  const value = secret.reveal();
  // A shorter one would mask ordinary words and reveal itself by that.
  if (value.length < 4) return (text) => text;
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  const forms = [...new Set([value, encodeURIComponent(value), base64])];
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, mask), text);
}

/** A logger that masks the secret in messages and fields. */
export function redactLogs(log: Logger, redact: Redact): Logger {
  const clean = (fields: Fields | undefined) => fields && (redactValue(fields, redact) as Fields);
  return {
    debug: (message, fields) => log.debug(redact(message), clean(fields)),
    info: (message, fields) => log.info(redact(message), clean(fields)),
    warn: (message, fields) => log.warn(redact(message), clean(fields)),
    error: (message, fields) => log.error(redact(message), clean(fields)),
    child: (fields) => redactLogs(log.child(clean(fields) ?? {}), redact),
  };
}

/** The value with every text in it redacted; errors become their message. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (value instanceof Secret) return mask;
  if (value instanceof Error) return redact(value.message);
  if (Array.isArray(value)) return value.map((element) => redactValue(element, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [redact(key), redactValue(field, redact)]));
}
