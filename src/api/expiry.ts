import type { ImageDetected } from './detection.ts';

const dayMs = 24 * 60 * 60 * 1000;

/** Milliseconds until a detection is to be removed; negative when it is overdue; undefined when it stays. */
export function expiresInMs({ spec }: Pick<ImageDetected, 'spec'>, nowMs: number): number | undefined {
  const { ttlDays = 7, detectedAt } = spec;
  if (ttlDays === 0) return undefined;
  const detectedMs = Date.parse(detectedAt);
  return Number.isNaN(detectedMs) ? undefined : detectedMs + ttlDays * dayMs - nowMs;
}
