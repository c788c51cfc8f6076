import { backoffMs, type Clock, errorMessage, type Logger } from '../base/index.ts';
import { type KubeClient, objectKey } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';
import type { KindWatch } from './kind-watch.ts';
import type { LookUpCache } from './look-up-tracker.ts';
import type { ReportMetrics } from './metrics.ts';
import type { ObjectEvaluator } from './object-evaluator.ts';
import { mergeRescan, type RescanRequests, type Rescans, rescansOf } from './rescan-requests.ts';

export interface RescanContext {
  readonly client: KubeClient;
  readonly requests: RescanRequests;
  readonly watches: ReadonlyMap<string, KindWatch>;
  readonly evaluator: ObjectEvaluator;
  readonly turn: () => Promise<void>;
  readonly pageSize: number;
  readonly metrics: ReportMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

const repeat = { baseMs: 5_000, maxMs: 60_000 };

/**
 * Runs requested rescans, one pass at a time. Objects are read in pages and never all held. A kind that cannot be read
 * does not block others: its part of the request is repeated later.
 */
export async function runRescans(context: RescanContext, signal: AbortSignal): Promise<void> {
  const { requests, watches, metrics, log, clock } = context;
  const failures = new Map<string, number>();
  while (!signal.aborted) {
    const batch = await requests.take(signal);
    if (!batch) return;
    metrics.rescanned(new Set([batch.everywhere, ...batch.ofKind.values()].flatMap((one) => [...one.keys()])).size);
    for (const [kind, watch] of [...watches]) {
      const rescans = new Map([...rescansOf(batch, kind)].filter(([policy]) => watch.policies.has(policy)));
      if (rescans.size === 0) continue;
      if (!watch.informer.hasSynced) {
        for (const [policy, namespaces] of rescans) mergeRescan(watch.dueRescans, policy, namespaces);
        continue;
      }
      try {
        await rescanType(watch, rescans, context, signal);
        failures.delete(kind);
        requests.failedKinds.delete(kind);
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn('rescan failed; retrying', {
          type: renderGvr(watch.type),
          error: errorMessage(thrown),
        });
        const failed = failures.get(kind) ?? 0;
        failures.set(kind, failed + 1);
        requests.failedKinds.add(kind);
        clock.after(backoffMs(failed, repeat), () => watches.get(kind) === watch && requests.addForKind(kind, rescans));
      }
    }
  }
}

async function rescanType(
  watch: KindWatch,
  rescans: Rescans,
  { client, evaluator, turn, pageSize, metrics, clock }: RescanContext,
  signal: AbortSignal,
): Promise<void> {
  const kindPolicies = watch.kindPolicies.filter(({ program }) => rescans.has(program.key));
  if (kindPolicies.length === 0) return;
  const places = kindPolicies.map(({ program }) => rescans.get(program.key)!);
  const isEverywhere = places.includes('all') || !watch.type.namespaced;
  const namespaces = isEverywhere
    ? [undefined]
    : [...new Set((places as readonly ReadonlySet<string>[]).flatMap((place) => [...place]))];
  const cache: LookUpCache = new Map();
  const sinceMs = clock.monotonicMs();
  for (const namespace of namespaces) {
    for await (const page of ahead(client.pages(watch.type, { namespace, limit: 2 * pageSize, signal }))) {
      for (const object of page.items) {
        const place = object.metadata.namespace ?? '';
        const here = kindPolicies.filter(({ program }) => {
          const wanted = rescans.get(program.key)!;
          return wanted === 'all' || wanted.has(place);
        });
        if (here.length === 0) continue;
        await turn();
        const key = objectKey(object);
        metrics.evaluated(await evaluator.run({ watch, key, object, kindPolicies: here, cache, signal, sinceMs }));
      }
    }
  }
}

/** Fetches the next item while the current one is processed. */
async function* ahead<T>(items: AsyncGenerator<T>): AsyncGenerator<T> {
  let next = items.next();
  try {
    for (let item = await next; !item.done; item = await next) {
      next = items.next();
      // A consumer that stops early never awaits it.
      next.catch(() => {});
      yield item.value;
    }
  } finally {
    await next.catch(() => {});
    await items.return(undefined);
  }
}
