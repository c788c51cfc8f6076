/** Replaces secrets in messages, including those in a URL. */
export type Redact = (text: string) => string;

const mask = '***';
/** Shorter strings would mask ordinary words, and are not secrets. */
const minLength = 4;

export function createRedact(secrets: readonly (string | undefined)[]): Redact {
  const forms = secrets
    .filter((secret): secret is string => secret !== undefined && secret.length >= minLength)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      ...secret.split('\n'),
    ])
    .filter((form) => form.length >= minLength)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const form of forms) clean = clean.replaceAll(form, mask);
    return clean.replace(/\/\/[^/@\s]+@/g, `//${mask}@`);
  };
}
