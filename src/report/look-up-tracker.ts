import { retryOf } from '../base/index.ts';
import { compareResourceVersions } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { type LookUp, type LookUpAnswer, lookUpKey } from '../policy/index.ts';
import type { LookUps } from '../runtime/index.ts';

/** Look-up results shared by one pass over many objects; discarded after the pass. */
export type LookUpCache = Map<string, Promise<LookUpAnswer>>;

interface LookUpTrackerOptions {
  readonly lookUps: LookUps;
  /** The results of this policy for this namespace depend on something that changed. */
  readonly onStale: (policy: string, namespace: string) => void;
  /** A look-up failed for a reason that may be temporary. */
  readonly onTransient: (policy: string, namespace: string) => void;
  /** A ConfigMap was looked up: ConfigMaps must be watched from now on. */
  readonly onConfigMapUsed: () => void;
  /** The version in the watch: empty for a ConfigMap that does not exist, undefined before the watch has synced. */
  readonly configMapVersion: (key: string) => string | undefined;
}

/**
 * Remembers which policy used which ConfigMap for which namespace, and in which version. Other look-ups cannot be
 * watched; the periodic rescan repeats them.
 */
export class LookUpTracker {
  /** ConfigMap → policy → namespace → version seen; empty if it did not exist. */
  private readonly users = new Map<string, Map<string, Map<string, string>>>();
  private readonly asking = new Set<string>();

  constructor(private readonly options: LookUpTrackerOptions) {}

  lookUpsFor(policy: string, namespace: string, cache: LookUpCache): LookUps {
    return {
      answer: async (lookUp, signal) => {
        this.asking.add(policy);
        const key = lookUpKey(lookUp);
        let pending = cache.get(key);
        if (!pending) cache.set(key, (pending = this.fetch(lookUp, policy, namespace, signal)));
        if (lookUp.kind !== 'configMap') return await pending;
        const configMap = `${lookUp.namespace}/${lookUp.name}`;
        try {
          const answer = await pending;
          this.note(configMap, versionOf(answer), policy, namespace);
          return answer;
        } catch (thrown) {
          this.note(configMap, '', policy, namespace);
          throw thrown;
        }
      },
    };
  }

  /** Whether the policy asked for anything since it changed last. */
  hasLookedUp(policy: string): boolean {
    return this.asking.has(policy);
  }

  /** A ConfigMap now has this version; empty when it is deleted. */
  configMapChanged(key: string, version: string): void {
    for (const [policy, namespaces] of this.users.get(key) ?? []) {
      for (const [namespace, seen] of namespaces) {
        if (seen === version) continue;
        // The version seen may be newer than this event; then its own event is still to come.
        if (seen !== '' && version !== '' && (compareResourceVersions(seen, version) ?? -1) > 0) continue;
        namespaces.delete(namespace);
        this.options.onStale(policy, namespace);
      }
    }
  }

  /** The watch has just synced: a different version means that the ConfigMap changed before. */
  watchSynced(): void {
    for (const key of this.users.keys()) this.configMapChanged(key, this.options.configMapVersion(key) ?? '');
  }

  forgetPolicy(policy: string): void {
    this.asking.delete(policy);
    for (const [key, policies] of this.users) {
      policies.delete(policy);
      if (policies.size === 0) this.users.delete(key);
    }
  }

  private async fetch(lookUp: LookUp, policy: string, namespace: string, signal: AbortSignal): Promise<LookUpAnswer> {
    if (lookUp.kind === 'configMap') this.options.onConfigMapUsed();
    try {
      return await this.options.lookUps.answer(lookUp, signal);
    } catch (thrown) {
      if (!signal.aborted && retryOf(thrown) !== 'never') this.options.onTransient(policy, namespace);
      throw thrown;
    }
  }

  private note(configMap: string, version: string, policy: string, namespace: string): void {
    const policies = this.users.get(configMap) ?? new Map<string, Map<string, string>>();
    this.users.set(configMap, policies);
    const namespaces = policies.get(policy) ?? new Map<string, string>();
    policies.set(policy, namespaces);
    namespaces.set(namespace, version);
    // Its event may have come during the look-up.
    const current = this.options.configMapVersion(configMap);
    if (current !== undefined && current !== version) this.configMapChanged(configMap, current);
  }
}

function versionOf(answer: LookUpAnswer): string {
  return answer.ok ? ((answer.value as KubeObject | undefined)?.metadata?.resourceVersion ?? '') : '';
}
