import { type Clock, SupercargoError } from '../../base/index.ts';
import type { KubeClient } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import type { Lease } from '../lease.ts';

type LeaseClient = Pick<KubeClient, 'list' | 'create' | 'replace'>;

/**
 * The result of one call: `refused` never reaches the server, `answer-lost` does, `hanging` gets no response at all.
 */
export type CallResult = 'answered' | 'refused' | 'answer-lost' | 'hanging';

/** The connection of one machine to a server that keeps one Lease in memory. */
export interface Link {
  readonly client: LeaseClient;
  callResult: CallResult;
  /** One way. */
  latencyMs: number;
}

export interface LeaseServer {
  lease: Lease | undefined;
  /** One line for each call that reached the server. */
  readonly calls: string[];
  /** `arrived` delays a response until the machine can receive it. */
  connect(machine: string, arrived?: () => Promise<void>): Link;
}

export function createLeaseServer(clock: Clock): LeaseServer {
  let version = 0;
  const server: LeaseServer = { lease: undefined, calls: [], connect };
  const store = (object: KubeObject): Lease => {
    server.lease = { ...object, metadata: { ...object.metadata, resourceVersion: String(++version) } };
    return server.lease;
  };
  const operations = {
    create: (object: KubeObject) => (server.lease ? refuse('kube-already-exists') : store(object)),
    replace: (object: KubeObject) => {
      if (!server.lease) return refuse('kube-not-found');
      const isCurrent = object.metadata.resourceVersion === server.lease.metadata.resourceVersion;
      return isCurrent ? store(object) : refuse('kube-conflict');
    },
  };

  function connect(machine: string, arrived: () => Promise<void> = () => Promise.resolve()): Link {
    const call = async <R>(verb: string, operation: () => R): Promise<R> => {
      const { callResult } = link;
      await clock.sleep(link.latencyMs);
      if (callResult === 'hanging') await new Promise(() => {});
      const outcome = callResult === 'refused' ? () => refuse('kube-unreachable') : attempt(operation);
      if (callResult !== 'refused') server.calls.push(`${machine} ${verb}`);
      await clock.sleep(link.latencyMs);
      await arrived();
      return callResult === 'answer-lost' ? refuse('kube-timeout') : outcome();
    };
    const link: Link = {
      callResult: 'answered',
      latencyMs: 0,
      client: {
        list: <T extends KubeObject>() =>
          call('list', () => ({
            items: (server.lease ? [server.lease] : []) as readonly KubeObject[] as readonly T[],
            resourceVersion: String(version),
            // As in a `Date` header.
            serverTimeMs: Math.floor(clock.now() / 1000) * 1000,
          })),
        create: <T extends KubeObject>(_: unknown, object: T) =>
          call('create', () => operations.create(object)) as Promise<KubeObject> as Promise<T>,
        replace: <T extends KubeObject>(_: unknown, object: T) =>
          call('replace', () => operations.replace(object)) as Promise<KubeObject> as Promise<T>,
      },
    };
    return link;
  }
  return server;
}

function refuse(code: string): never {
  throw new SupercargoError(code, `the test's API server returns ${code}`, { retry: 'backoff' });
}

/** Runs now, returns or throws later: the effect happens when the request arrives. */
function attempt<T>(operation: () => T): () => T {
  try {
    const value = operation();
    return () => value;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}
