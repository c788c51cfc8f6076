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

/** A note whose reporter is known from the place it is made at. */
export type EventWords = Omit<EventNote, 'component'>;

/** Adds a key (`namespace/name`) to the controller's own queue. */
export type Enqueue = (key: string, afterMs?: number) => void;

export interface Controller {
  readonly name: string;
  readonly concurrency: number;
  /** Subscribes to what the controller looks at; the returned functions undo it. */
  subscribe(enqueue: Enqueue): readonly (() => void)[];
  /** Brings one object a step nearer to what it should be; a number asks to be called again after so many ms. */
  reconcile(key: string): Promise<number | undefined>;
}

export type Meta = ObjectMeta & { readonly name: string; readonly uid: string };

/** An object as the store returns it, with the type of its kind. */
export type Live<T extends { metadata?: unknown; spec?: unknown }> = Omit<T, 'metadata' | 'spec'> & {
  readonly metadata: Meta;
  readonly spec: NonNullable<T['spec']>;
};

/** The store checked the object against its schema: the one place where it gets its kind's type. */
export function live<T extends { metadata?: unknown; spec?: unknown }>(object: KubeObject): Live<T> {
  return object as unknown as Live<T>;
}
export function stored(object: object): KubeObject {
  return object as KubeObject;
}

export const keyOf = ({ metadata }: { readonly metadata: ObjectMeta }): string =>
  `${metadata.namespace ?? ''}/${metadata.name}`;

export function splitKey(key: string): [namespace: string, name: string] {
  const slash = key.indexOf('/');
  return [key.slice(0, slash), key.slice(slash + 1)];
}
