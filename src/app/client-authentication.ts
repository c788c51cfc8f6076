import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { errorMessage, UsageError } from '../base/index.ts';
import type { ClientAuthentication } from '../webhook/index.ts';
import type { Config } from './config.ts';

/** How the API server authenticates to our webhooks; undefined if nothing is configured. */
export function clientAuthenticationOf({
  clientCA,
  clientNames,
  requireClientCertificate,
}: Config['webhook']): ClientAuthentication | undefined {
  if (clientCA === undefined) return undefined;
  const isText = clientCA.includes('-----BEGIN CERTIFICATE-----');
  try {
    const authorities = isText ? clientCA : readFileSync(clientCA, 'utf8');
    // Fails here, with the name of the setting, instead of at the first connection.
    new X509Certificate(authorities);
    return { authorities, names: clientNames, required: requireClientCertificate };
  } catch (thrown) {
    const what = isText ? 'is not a certificate' : `cannot be read from ${clientCA}`;
    throw new UsageError('config-client-ca', `webhook.clientCA ${what}: ${errorMessage(thrown)}`);
  }
}
