import type { Clock, Logger } from '../../base/index.ts';
import type { KubeObject, ObjectMeta } from '../../object/index.ts';
import type { InternalClient } from '../internal-client.ts';
import type { EventNote, EventRecorder } from './event-recorder.ts';
import type { SimulationOptions } from './options.ts';

/** Passed to every controller. */
export interface Context {
  readonly client: InternalClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly options: SimulationOptions;
  readonly events: EventRecorder;
}

/** An event note without the component, which the caller knows. */
export type EventWords = Omit<EventNote, 'component'>;

/** Adds a key (`namespace/name`) to the controller's own queue. */
type Enqueue = (key: string, afterMs?: number) => void;

export interface Controller {
  readonly name: string;
  readonly concurrency: number;
  /** Subscribes to the kinds that the controller reads; the returned functions unsubscribe. */
  subscribe(enqueue: Enqueue): readonly (() => void)[];
  /**
   * Moves one object one step towards its desired state; returns the milliseconds after which to call it again, if any.
   */
  reconcile(key: string): Promise<number | undefined>;
}

export type Meta = ObjectMeta & { readonly name: string; readonly uid: string };

/** An object as the store returns it, with the type of its kind. */
export type Live<T extends { metadata?: unknown; spec?: unknown }> = Omit<T, 'metadata' | 'spec'> & {
  readonly metadata: Meta;
  readonly spec: NonNullable<T['spec']>;
};

/** The store checked the object against its schema: the only place where it gets the type of its kind. */
export function live<T extends { metadata?: unknown; spec?: unknown }>(object: KubeObject): Live<T> {
  return object as unknown as Live<T>;
}

export const keyOf = ({ metadata }: { readonly metadata: ObjectMeta }): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}
