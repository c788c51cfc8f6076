import { createLimiter, type Limiter } from '../base/index.ts';
import { HttpError } from './http.ts';

interface TurnsOptions {
  /** Of one key, with the one that runs. */
  readonly maxOfKey: number;
  /** Keys with work. */
  readonly maxKeys: number;
}

interface Turns {
  /** Refuses what is too much with `too-many`. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
}

/** Work of one key, one after the other. Bounded. */
export function createTurns({ maxOfKey, maxKeys }: TurnsOptions): Turns {
  const byKey = new Map<string, { readonly limiter: Limiter; count: number }>();
  return {
    async run(key, work) {
      const entry = byKey.get(key) ?? { limiter: createLimiter(1), count: 0 };
      if (entry.count >= maxOfKey || (entry.count === 0 && byKey.size >= maxKeys))
        throw new HttpError('too-many', 'too many explanations at once', { 'retry-after': '1' });
      byKey.set(key, entry);
      entry.count++;
      try {
        return await entry.limiter.run(work);
      } finally {
        if (--entry.count === 0) byKey.delete(key);
      }
    },
  };
}
