import { setMaxListeners } from 'node:events';
import { type Clock, errorMessage, type Logger, linkAbort } from '../../base/index.ts';
import type { InternalClient } from '../internal-client.ts';
import { createCronJobController } from './cron-job.ts';
import { createDaemonSetController } from './daemon-set.ts';
import { createDeploymentController } from './deployment.ts';
import { createEndpointSliceController } from './endpoint-slice.ts';
import { createEventRecorder } from './event-recorder.ts';
import { createJobController } from './job.ts';
import { controllerRevisions, endpointSlices, jobs, pods, replicaSets } from './kinds.ts';
import { createKubelet } from './kubelet.ts';
import { createNamespaceDefaultsController } from './namespace-defaults.ts';
import { createNodeController } from './node.ts';
import { defaultSimulationOptions, type SimulationOptions } from './options.ts';
import { createOwnedIndex } from './owned-index.ts';
import { createReplicaSetController, createReplicationController } from './replica-set.ts';
import { createScheduler } from './scheduler.ts';
import { createStatefulSetController } from './stateful-set.ts';
import type { Context, Controller } from './types.ts';
import { createVolumeClaimController } from './volume-claim.ts';
import { createWorkQueue } from './work-queue.ts';

interface SimulationSettings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly options?: Partial<SimulationOptions>;
}

interface Simulation {
  /** Watches and reconciles until the signal aborts; resolves when nothing is left running. */
  run(signal: AbortSignal): Promise<void>;
}

/** Nothing happens before `run`. */
export function createSimulation(client: InternalClient, settings: SimulationSettings): Simulation {
  return {
    async run(signal) {
      if (signal.aborted) return;
      const context = createContext(client, settings);
      const indexed = { pods, replicaSets, jobs, revisions: controllerRevisions, slices: endpointSlices };
      // The indexes subscribe first, so that a controller finds a change in them.
      const indexes = Object.fromEntries(
        Object.entries(indexed).map(([name, type]) => [name, createOwnedIndex(client, type)]),
      ) as { [name in keyof typeof indexed]: ReturnType<typeof createOwnedIndex> };
      const controllers = [
        ...(context.options.nodes > 0
          ? [createNodeController(context), createScheduler(context), createKubelet(context)]
          : []),
        createNamespaceDefaultsController(context),
        createDeploymentController(context, indexes),
        createReplicaSetController(context, indexes.pods),
        createReplicationController(context, indexes.pods),
        createStatefulSetController(context, indexes),
        createDaemonSetController(context, indexes),
        createJobController(context, indexes.pods),
        createCronJobController(context, indexes.jobs),
        createEndpointSliceController(context, indexes),
        createVolumeClaimController(context),
      ];
      const own = linkAbort(signal);
      setMaxListeners(controllers.length + 1, own.signal);
      const running = controllers.map((controller) => runController(context, controller, own.signal));
      await Promise.all([...running, context.events.run(own.signal)]);
      for (const index of Object.values(indexes)) index.stop();
    },
  };
}

function createContext(client: InternalClient, { clock, log, options }: SimulationSettings): Context {
  const all = { ...defaultSimulationOptions, ...options };
  const events = createEventRecorder({
    client,
    clock,
    log,
    isEnabled: all.events,
    ttlMs: all.eventTtlMs,
    gcIntervalMs: all.gcIntervalMs,
  });
  return { client, clock, log, options: all, events };
}

async function runController({ clock, log }: Context, controller: Controller, signal: AbortSignal): Promise<void> {
  const queue = createWorkQueue({
    clock,
    concurrency: controller.concurrency,
    work: controller.reconcile,
    // A denial by a policy is normal here, and is reported in events and conditions.
    onError: (key, thrown) =>
      log.debug('simulated controller tries again', { controller: controller.name, key, error: errorMessage(thrown) }),
  });
  const stops = controller.subscribe((key, afterMs = 0) => queue.addAfter(key, afterMs));
  await queue.run(signal);
  for (const stop of stops) stop();
}
