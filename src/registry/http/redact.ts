/** Removes known secrets from text of other parties: a registry may quote the request in its error. */
export interface Redactor {
  add(...secrets: readonly (string | undefined)[]): void;
  clean(text: string): string;
}

const maxSecrets = 200;
// Shorter secrets would mask ordinary words.
const minSecretLength = 4;

export function createRedactor(): Redactor {
  const known = new Set<string>();
  return {
    add(...secrets) {
      for (const secret of secrets) {
        if (secret === undefined || secret.length < minSecretLength) continue;
        for (const form of [secret, encodeURIComponent(secret)]) {
          known.delete(form);
          known.add(form);
        }
      }
      for (const oldest of known) {
        if (known.size <= maxSecrets) break;
        known.delete(oldest);
      }
    },
    clean(text) {
      let cleaned = text.replace(/\b(Bearer|Basic)\s+[A-Za-z0-9+/=_.~-]{8,}/gi, '$1 [redacted]');
      // The query of a storage URL is its signature.
      cleaned = cleaned.replace(/\?[^\s"'<>?=]+=[^\s"'<>]*/g, '?[redacted]');
      for (const secret of known) cleaned = cleaned.replaceAll(secret, '[redacted]');
      return cleaned;
    },
  };
}
