import { ownerLabel } from '../api/index.ts';
import { backoffMs, type Clock, errorMessage, type KeyPair, type Logger } from '../base/index.ts';
import { createInformer, isKubeError, type KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  CertificateError,
  parseForeignSecret,
  parseSecretData,
  renderSecretData,
  secrets,
} from './certificate-secret.ts';
import { bundleOf, type CertificatePolicy, type Certificates, nextCertificates, nextChangeMs } from './certificates.ts';

interface CertificateKeeperOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly secret: { readonly namespace: string; readonly name: string };
  /** Absent when another controller (cert-manager) manages the Secret: it is then only read. */
  readonly policy?: CertificatePolicy | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the serving certificate each time it changes. */
  readonly onServing: (serving: KeyPair) => void;
  /** Called with the CA bundle for the API server each time it changes. */
  readonly onBundle: (bundle: string) => void;
}

/** The longest pause between two checks: clocks jump, and a timer cannot run for months. */
const maxPauseMs = 60 * 60 * 1000;

/**
 * Keeps the certificates of all replicas in one Secret. Any replica may do the next rotation step; each write has a
 * resourceVersion, so that replicas never overwrite each other.
 */
interface CertificateKeeper {
  readonly bundle: string | undefined;
  run(signal: AbortSignal): Promise<void>;
}

export function createCertificateKeeper(options: CertificateKeeperOptions): CertificateKeeper {
  const { client, secret, policy, clock, log } = options;
  let served: string | undefined;
  let bundle: string | undefined;
  let current: KubeObject | undefined;
  let wake = () => {};

  const use = (serving: KeyPair, trusted: string) => {
    if (trusted !== bundle) {
      bundle = trusted;
      options.onBundle(trusted);
    }
    if (serving.certPem !== served) {
      served = serving.certPem;
      options.onServing(serving);
    }
  };
  const take = (object: KubeObject | undefined): Certificates | undefined => {
    if (!object) return undefined;
    if (!policy) {
      const { serving, bundle: trusted } = parseForeignSecret(object);
      use(serving, trusted);
      return undefined;
    }
    const certificates = parseSecretData(object);
    if (certificates) use(certificates.serving, bundleOf(certificates));
    return certificates;
  };
  const write = async (certificates: Certificates, signal: AbortSignal): Promise<void> => {
    const data = renderSecretData(certificates);
    const base: KubeObject = current ?? {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...secret, labels: { [ownerLabel]: options.installation } },
      type: 'Opaque',
    };
    if (base.metadata.labels?.[ownerLabel] !== options.installation)
      throw new CertificateError(
        'webhook-secret',
        `secret ${secret.namespace}/${secret.name} is not managed by this installation (label ${ownerLabel}: ${options.installation} is missing)`,
      );
    current = current
      ? await client.replace(secrets, { ...base, data }, { signal })
      : await client.create(secrets, { ...base, data }, { signal });
    take(current);
  };
  /** One rotation step; returns the pause before the next. */
  const step = async (signal: AbortSignal): Promise<number> => {
    const certificates = take(current);
    if (!policy) return maxPauseMs;
    const next = nextCertificates(certificates, policy, clock.now());
    if (!next) return nextChangeMs(certificates!, policy, clock.now()) - clock.now();
    try {
      await write(next, signal);
    } catch (thrown) {
      // Another replica wrote first: use its version.
      if (!isKubeError(thrown, 'kube-conflict') && !isKubeError(thrown, 'kube-already-exists')) throw thrown;
      current = await client.get<KubeObject>(secrets, secret, { signal });
    }
    return 0;
  };

  return {
    get bundle() {
      return bundle;
    },
    async run(signal) {
      const informer = createInformer<KubeObject>({
        client,
        type: secrets,
        namespace: secret.namespace,
        fieldSelector: `metadata.name=${secret.name}`,
        log,
        clock,
      });
      const changed = (object: KubeObject | undefined) => {
        current = object;
        wake();
      };
      informer.addHandler({
        onAdd: ({ stored }) => changed(stored),
        onUpdate: ({ stored }) => changed(stored),
        onDelete: () => changed(undefined),
      });
      const following = informer.run(signal);
      let failures = 0;
      try {
        await informer.synced(signal);
        while (!signal.aborted) {
          const woken = new Promise<void>((resolve) => (wake = resolve));
          let pauseMs: number;
          try {
            pauseMs = await step(signal);
            failures = 0;
          } catch (thrown) {
            if (signal.aborted) break;
            pauseMs = backoffMs(failures++, { baseMs: 500, maxMs: 60_000 });
            log.error('rotation of the webhook certificate failed', { error: errorMessage(thrown), failures });
          }
          const pause = new AbortController();
          await Promise.race([
            woken,
            clock.sleep(Math.min(pauseMs, maxPauseMs), AbortSignal.any([signal, pause.signal])).catch(() => {}),
          ]);
          pause.abort();
        }
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      }
      await following;
    },
  };
}
