import { type Logger, SupercargoError, systemClock } from '../base/index.ts';
import { type CargoReader, readCargo } from '../dashboard/index.ts';
import { createInformerFactory } from '../kube/index.ts';
import type { Connection } from './connect.ts';

export interface ReadCargoOptions {
  readonly connection: Connection;
  readonly installation: string;
  /** All namespaces if undefined. */
  readonly namespace: string | undefined;
  readonly log: Logger;
}

/** What the identity of the kubeconfig may list, read once. */
export async function withCargo<T>(
  { connection, installation, namespace, log }: ReadCargoOptions,
  signal: AbortSignal,
  use: (cargo: CargoReader) => T,
): Promise<T> {
  // The reader names what it could not read.
  const informers = createInformerFactory({ client: connection.client, log, onUnreadable: () => {} });
  const stop = new AbortController();
  const end = AbortSignal.any([signal, stop.signal]);
  // The reader subscribes at once, before it waits.
  const reading = readCargo({ informers, installation, namespace, clock: systemClock }, end);
  const running = informers.run(end);
  try {
    const cargo = await Promise.race([reading, running.then(() => reading)]);
    const pods = cargo.problems.find(({ kind }) => kind === 'Pod');
    if (pods) throw new SupercargoError('cargo-pods', `cannot list pods: ${pods.message}; name a namespace with -n`);
    return use(cargo);
  } finally {
    stop.abort();
    await running.catch(() => {});
    await reading.catch(() => {});
  }
}
