import { backoffMs, type Clock, errorMessage, type Logger } from '../base/index.ts';
import type { EventRecorder, KubeClient } from '../kube/index.ts';
import type { ConfigurationOptions } from './configuration.ts';
import type { WebhookMetrics } from './metrics.ts';
import { probe, probeRegistration, renderProbeConfiguration } from './probe.ts';
import type { Registration } from './reviewer.ts';
import { reconcileConfiguration } from './write-configuration.ts';

type Settings = Omit<ConfigurationOptions, 'installation'>;

interface ReachabilityOptions {
  readonly client: KubeClient;
  readonly installation: string;
  readonly namespace: string;
  /** The leader election group; each has its own configuration. */
  readonly group: string;
  /** Undefined until there is a certificate and the server listens. */
  readonly options: () => Settings | undefined;
  /** Calls the listener when the value of `options` changes. */
  readonly subscribe: (listener: () => void) => () => void;
  readonly metrics: Pick<WebhookMetrics, 'reached'>;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Whether the API server gets answers from our webhook server. A webhook with failurePolicy Fail that it cannot reach
 * blocks the requests that it is about, so none is registered before.
 */
export interface Reachability {
  /** It was reached since `run` started. Stays true: what is registered is not taken away. */
  readonly isReached: boolean;
  /** Why it is not reached now; undefined during the first seconds, when pods and endpoints become ready. */
  readonly problem: string | undefined;
  /** The configuration with the probe's webhook. */
  readonly registration: Pick<Registration, 'name' | 'type'>;
  /** Calls the listener when one of these changes. */
  onChange(listener: () => void): () => void;
  /** Probes until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** In a rolling update the Service may have no ready endpoints yet, or those of a version without the probe. */
const graceMs = 10_000;
const againMs = 5 * 60 * 1000;
const retryPause = { baseMs: 250, maxMs: 5_000 };

export function createReachability(options: ReachabilityOptions): Reachability {
  const { client, installation, namespace, group, metrics, events, clock, log } = options;
  const listeners = new Set<() => void>();
  let isReached = false;
  let problem: string | undefined;
  let failures = 0;
  let failingSinceMs = 0;
  let wake = () => {};

  const tell = (next: { readonly isReached: boolean; readonly problem: string | undefined }) => {
    const isChanged = next.isReached !== isReached || next.problem !== problem;
    ({ isReached, problem } = next);
    if (isChanged) for (const listener of [...listeners]) listener();
  };
  /** Undefined when it is reached. */
  const attempt = async (settings: Settings, signal: AbortSignal) => {
    const configuration = renderProbeConfiguration(group, namespace, { installation, ...settings });
    try {
      await reconcileConfiguration(client, configuration, { isNeeded: true, installation, signal });
      return await probe({ client, installation, namespace, clock }, signal);
    } catch (thrown) {
      signal.throwIfAborted();
      return errorMessage(thrown);
    }
  };
  const record = (settings: Settings, type: 'Normal' | 'Warning', reason: string, message: string) => {
    const { apiVersion, kind, metadata } = renderProbeConfiguration(group, namespace, { installation, ...settings });
    const subject = { apiVersion, kind, name: metadata.name!, namespace: undefined, uid: undefined };
    events.record(subject, { type, reason, message });
  };

  /** One attempt; returns the pause before the next. */
  const step = async (signal: AbortSignal): Promise<number> => {
    const settings = options.options();
    if (!settings) return againMs;
    const found = await attempt(settings, signal);
    metrics.reached(group, found === undefined);
    if (found === undefined) {
      failures = 0;
      if (problem !== undefined) {
        log.info('the API server reaches the webhooks again');
        record(settings, 'Normal', 'WebhookReachable', 'the API server reaches the webhooks');
      }
      tell({ isReached: true, problem: undefined });
      return againMs;
    }
    if (failures === 0) failingSinceMs = clock.monotonicMs();
    const pauseMs = backoffMs(failures++, retryPause);
    if (clock.monotonicMs() - failingSinceMs >= graceMs && !isSame(found, problem)) {
      log.warn('the API server does not reach the webhooks', { error: found, isRegistered: isReached });
      record(settings, 'Warning', 'WebhookUnreachable', found);
      tell({ isReached, problem: found });
    }
    return pauseMs;
  };

  return {
    get isReached() {
      return isReached;
    },
    get problem() {
      return problem;
    },
    registration: probeRegistration(group),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async run(signal) {
      isReached = false;
      problem = undefined;
      const unsubscribe = options.subscribe(() => wake());
      failures = 0;
      try {
        while (!signal.aborted) {
          const changed = new Promise<void>((resolve) => (wake = resolve));
          const pauseMs = await step(signal);
          const pause = new AbortController();
          await Promise.race([changed, clock.sleep(pauseMs, AbortSignal.any([signal, pause.signal])).catch(() => {})]);
          pause.abort();
        }
      } catch (thrown) {
        if (!signal.aborted) throw thrown;
      } finally {
        unsubscribe();
        metrics.reached(group, undefined);
      }
    },
  };
}

/** Messages of one cause differ in the ports of connections. */
const isSame = (a: string, b: string | undefined) => shapeOf(a) === shapeOf(b ?? '');
const shapeOf = (message: string) => message.replaceAll(/\d+/g, '0');
