import type { Deployment, ReplicaSet } from 'kubernetes-types/apps/v1.js';
import type { Live } from './types.ts';

interface Limits {
  readonly desired: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Percentages are of the desired replicas: maxSurge rounds up, maxUnavailable down, and they are never both 0. */
export function limitsOf({ spec }: Live<Deployment>): Limits {
  const desired = spec.replicas ?? 1;
  if (spec.strategy?.type === 'Recreate') return { desired, maxSurge: 0, maxUnavailable: 0 };
  const rolling = spec.strategy?.rollingUpdate;
  const maxSurge = resolve(rolling?.maxSurge ?? '25%', desired, Math.ceil);
  const maxUnavailable = resolve(rolling?.maxUnavailable ?? '25%', desired, Math.floor);
  if (maxSurge === 0 && maxUnavailable === 0) return { desired, maxSurge, maxUnavailable: 1 };
  return { desired, maxSurge, maxUnavailable: Math.min(maxUnavailable, desired) };
}

function resolve(value: string | number, total: number, round: (n: number) => number): number {
  if (typeof value === 'number') return value;
  return round((Number.parseInt(value, 10) * total) / 100);
}

export interface Scale {
  readonly set: Live<ReplicaSet>;
  readonly to: number;
}

/** The next step of a rolling update: the new set grows as far as maxSurge allows, then old ones shrink. */
export function planRollingUpdate(next: Live<ReplicaSet>, old: readonly Live<ReplicaSet>[], limits: Limits): Scale[] {
  const { desired, maxSurge, maxUnavailable } = limits;
  const total = wanted(next) + sum(old, wanted);
  if (wanted(next) > desired) return [{ set: next, to: desired }];
  const room = Math.min(desired + maxSurge - total, desired - wanted(next));
  if (room > 0) return [{ set: next, to: wanted(next) + room }];
  if (sum(old, wanted) === 0) return [];
  const minAvailable = desired - maxUnavailable;
  const unavailableNew = Math.max(0, wanted(next) - available(next));
  let removable = total - minAvailable - unavailableNew;
  const scales = new Map<Live<ReplicaSet>, number>();
  // Remove unhealthy pods first: they serve no traffic.
  for (const set of old) {
    const broken = Math.min(removable, Math.max(0, wanted(set) - available(set)));
    if (broken <= 0) continue;
    scales.set(set, wanted(set) - broken);
    removable -= broken;
  }
  let spare = Math.min(removable, available(next) + sum(old, available) - minAvailable);
  for (const set of old) {
    const left = scales.get(set) ?? wanted(set);
    const step = Math.min(spare, left);
    if (step <= 0) continue;
    scales.set(set, left - step);
    spare -= step;
  }
  return [...scales].map(([set, to]) => ({ set, to }));
}

/** A changed replica count while paused: the newest running set takes the difference. */
export function planPaused(sets: readonly Live<ReplicaSet>[], { desired, maxSurge }: Limits): Scale[] {
  const running = sets.filter((set) => wanted(set) > 0);
  const target = running.at(-1) ?? sets.at(-1);
  if (!target) return [];
  const others = sum(running, wanted) - wanted(target);
  const isAlone = others === 0;
  const to = Math.max(0, (isAlone ? desired : Math.min(desired + maxSurge, sum(running, wanted))) - others);
  return to === wanted(target) ? [] : [{ set: target, to }];
}

export const wanted = ({ spec }: Live<ReplicaSet>) => spec.replicas ?? 1;
export const available = ({ status }: Live<ReplicaSet>) => status?.availableReplicas ?? 0;
export const sum = <T>(list: readonly T[], of: (one: T) => number) => list.reduce((total, one) => total + of(one), 0);
