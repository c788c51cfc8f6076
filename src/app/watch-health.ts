import { Counter, Gauge, type Registry } from 'prom-client';
import { type InformerFactory, isLasting, type SkippedObject } from '../kube/index.ts';
import { renderGvr } from '../object/index.ts';

/** A list or watch that failed for this long makes the replica unready. */
const stalledMs = 60_000;

type Informers = Pick<InformerFactory, 'all'>;

/** Why the replica is not ready at start: the kinds whose first list is missing. */
export function firstListsMissing(informers: Informers): string {
  const unsynced = informers.all().filter(({ hasSynced }) => !hasSynced);
  return `the first lists are not complete: ${unsynced.map(describe).join('; ')}`;
}

/** The kinds that the program runs without: they are not served, or it may not read them. */
export const unreadableKinds = (informers: Informers): readonly string[] =>
  informers
    .all()
    .flatMap((informer) => (isLasting(informer.failing?.code) ? `cannot be read: ${describe(informer)}` : []));

/**
 * Why the watches are not reliable, with each kind; true if they are. A kind that is watched later, by the leader or
 * for a new policy, keeps the replica ready during its first list: the rest is served as before.
 */
export function watchReadiness(informers: Informers, nowMs: number): true | string {
  const stalled = informers
    .all()
    .filter(({ failing }) => failing && !isLasting(failing.code) && nowMs - failing.sinceMs >= stalledMs);
  return stalled.length === 0 || `watches make no progress: ${stalled.map(describe).join('; ')}`;
}

function describe({ type, failing }: ReturnType<Informers['all']>[number]): string {
  return failing ? `${renderGvr(type)} (${failing.error})` : renderGvr(type);
}

/** Counts skipped objects by kind; the number of series is the number of watched kinds. */
export function createSkippedMetric(registry: Registry): (skipped: SkippedObject) => void {
  const counter = new Counter({
    name: 'supercargo_watch_objects_skipped_total',
    help: 'Objects of lists and watches that could not be handled and were skipped; the log names them.',
    labelNames: ['resource'],
    registers: [registry],
  });
  return ({ type }) => counter.inc({ resource: renderGvr(type) });
}

export function createFailingMetric(registry: Registry, informers: Informers): void {
  new Gauge({
    name: 'supercargo_watch_failing',
    help: '1 while the list or watch of a kind fails.',
    labelNames: ['resource'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { type, failing } of informers.all()) this.set({ resource: renderGvr(type) }, failing ? 1 : 0);
    },
  });
}
