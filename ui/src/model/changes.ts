import type { ChangedView, ChangeMessage, ImageId } from '../../../src/dashboard/protocol.ts';

/** What a shown answer depends on. */
export interface Interest {
  readonly views: readonly ChangedView[];
  /** Only changes of this image matter. */
  readonly image?: ImageId;
}

/** Whether an answer may be out of date after a change. */
export function concerns(change: ChangeMessage, { views, image }: Interest): boolean {
  if (!change.views.some((view) => views.includes(view))) return false;
  return image === undefined || change.images === undefined || change.images.includes(image);
}

const views = new Set<string>(['overview', 'images', 'copies', 'pipeline', 'results', 'jobs', 'system']);

/** Reads a `change` message; undefined when it is not one. */
export function parseChange(data: string): ChangeMessage | undefined {
  const value = parseObject(data);
  if (!Array.isArray(value?.['views'])) return undefined;
  const images = value['images'];
  return {
    views: value['views'].filter((view): view is ChangedView => views.has(view as string)),
    ...(Array.isArray(images) ? { images: images.filter((image) => typeof image === 'string') } : {}),
  };
}

export interface Hello {
  readonly isResumed: boolean;
  readonly heartbeatMs: number;
}

export function parseHello(data: string): Hello {
  const value = parseObject(data);
  const heartbeat = value?.['heartbeatMs'];
  return {
    isResumed: value?.['isResumed'] === true,
    heartbeatMs: typeof heartbeat === 'number' && heartbeat > 0 ? heartbeat : 15_000,
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
