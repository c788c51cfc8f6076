import { X509Certificate } from 'node:crypto';
import { isKubeError, type ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { type CheckLine, fail, guarded, pass, warn } from './check-line.ts';
import { hasWebhooks, type Situation } from './situation.ts';
import { listWebhooks, type WebhookConfiguration } from './webhooks.ts';

const secrets: ResourceType = { group: '', version: 'v1', resource: 'secrets', kind: 'Secret', namespaced: true };
const dayMs = 24 * 60 * 60 * 1000;

/** The certificates in the Secrets of the parts with webhooks. */
export async function checkCertificates(situation: Situation): Promise<readonly CheckLine[]> {
  const { connection, installation, namespace, config, isInstalled, parts, signal } = situation;
  if (situation.isOwnPod && !hasWebhooks(situation.features)) return [];
  const configurations = await listWebhooks(situation);
  if (!isInstalled && configurations.length === 0) return [];
  const own = parts.filter(({ features }) => hasWebhooks(features)).map((part) => `${part.name}-webhook`);
  const given = config.webhook.tls.secretName;
  const names = !isInstalled ? [`${installation}-webhook`] : given === undefined || own.includes(given) ? own : [given];
  const lines = await Promise.all(
    names.map((name) =>
      guarded(`certificate ${name}`, async () => {
        const secret = await connection.client
          .get<KubeObject>(secrets, { namespace, name }, { signal })
          .catch((thrown: unknown) => {
            if (isKubeError(thrown, 'kube-not-found')) return undefined;
            throw thrown;
          });
        const bundles = bundlesOf(configurations, { namespace, name });
        return [checkSecret(name, secret, bundles, situation.clock.now())];
      }),
    ),
  );
  return lines.flat();
}

/** What the API server trusts when it calls this Service. The Service of a part has the name of its Secret. */
function bundlesOf(
  configurations: readonly WebhookConfiguration[],
  { namespace, name }: { readonly namespace: string; readonly name: string },
): readonly string[] {
  const bundles = configurations.flatMap(({ webhooks = [] }) =>
    webhooks.flatMap(({ clientConfig: { service, caBundle } }) =>
      caBundle !== undefined && (!service || (service.namespace === namespace && service.name === name))
        ? [Buffer.from(caBundle, 'base64').toString()]
        : [],
    ),
  );
  return [...new Set(bundles)];
}

const renewing = 'the leader renews it in the last third of its validity: look at its logs';

export function checkSecret(
  name: string,
  secret: KubeObject | undefined,
  bundles: readonly string[],
  now: number,
): CheckLine {
  const check = `certificate ${name}`;
  if (!secret) return fail(check, 'the Secret does not exist', 'supercargo install --apply creates it');
  try {
    const [serving] = certificatesIn(textOf(secret, 'tls.crt'));
    if (!serving) return fail(check, 'the Secret holds no certificate', 'the leader issues one: look at its logs');
    const authorities = certificatesIn(textOf(secret, 'ca.crt'));
    const newest = authorities.toSorted((a, b) => endOf(b) - endOf(a))[0];
    if (bundles.some((bundle) => !certificatesIn(bundle).some((ca) => serving.verify(ca.publicKey))))
      return fail(check, 'the API server does not trust it: the bundle of a webhook lacks its authority', renewing);
    const found = `valid until ${dateOf(serving)}${newest ? `, its authority until ${dateOf(newest)}` : ''}`;
    const all = newest ? [serving, newest] : [serving];
    if (all.some((one) => endOf(one) <= now)) return fail(check, `expired: ${found}`, renewing);
    return all.some((one) => isOverdue(one, now))
      ? warn(check, `expires soon: ${found}`, renewing)
      : pass(check, found);
  } catch (thrown) {
    if (!(thrown instanceof Error) || !('code' in thrown)) throw thrown;
    return fail(check, 'the certificate cannot be read', 'empty the Secret: the leader issues another');
  }
}

function textOf(secret: KubeObject, key: string): string {
  const value = (secret['data'] as Readonly<Record<string, string>> | undefined)?.[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
}

const certificatesIn = (pem: string) =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );
const endOf = ({ validTo }: X509Certificate) => Date.parse(validTo);
const dateOf = (certificate: X509Certificate) => new Date(endOf(certificate)).toISOString().slice(0, 10);

/** In the last tenth of its validity, at most 30 days: its renewal is long due. */
function isOverdue(certificate: X509Certificate, now: number): boolean {
  const length = endOf(certificate) - Date.parse(certificate.validFrom);
  return endOf(certificate) - now < Math.min(length / 10, 30 * dayMs);
}
