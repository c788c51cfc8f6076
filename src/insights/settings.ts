import type { SettingsReader } from './environment.ts';
import { Secret } from './secret.ts';

/** The organisation and cluster, the host, and the token. */
export interface InsightsSettings {
  /** Without a trailing slash. */
  readonly host: string;
  readonly organization: string;
  readonly cluster: string;
  readonly token: Secret;
}

/** Reads `FAIRWINDS_INSIGHTS_HOST`, `FAIRWINDS_TOKEN`, `FAIRWINDS_ORG` and `FAIRWINDS_CLUSTER`. */
export function readInsightsSettings(reader: SettingsReader): InsightsSettings {
  const host = reader.required('FAIRWINDS_INSIGHTS_HOST');
  const token = reader.required('FAIRWINDS_TOKEN');
  const organization = reader.required('FAIRWINDS_ORG');
  const cluster = reader.required('FAIRWINDS_CLUSTER');
  const isHttpAllowed = reader.boolean('FAIRWINDS_INSIGHTS_ALLOW_HTTP', false);
  const problem = host === '' ? undefined : hostProblem(host, isHttpAllowed);
  if (problem !== undefined) reader.mistake('FAIRWINDS_INSIGHTS_HOST', problem);
  // A header cannot carry these. A trailing line break is the usual mistake in a Secret.
  if (/[^\x21-\x7e]/.test(token)) reader.mistake('FAIRWINDS_TOKEN', 'holds spaces, line breaks or other than ASCII');
  return { host: host.replace(/\/+$/, ''), organization, cluster, token: new Secret(token) };
}

/** Never quotes the address: it may contain a password. */
function hostProblem(text: string, isHttpAllowed: boolean): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return 'must be an address such as https://insights.fairwinds.com';
  }
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not carry a user or password; use FAIRWINDS_TOKEN';
  if (url.search !== '' || url.hash !== '') return 'must not carry a query or fragment';
  if (url.protocol === 'http:' && !isLoopback(url.hostname) && !isHttpAllowed)
    return 'must begin with https://: the token would travel in the clear (FAIRWINDS_INSIGHTS_ALLOW_HTTP=true allows it)';
  return undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
