import type { JSX } from 'preact';
import { renderCount } from '../model/format.ts';
import { stackSegments } from '../model/stack.ts';
import type { Tone } from './state.tsx';

export interface Portion {
  readonly name: string;
  readonly count: number;
  readonly tone: Tone;
}

/** One bar of several portions; the words say the same. */
export function Stack({ portions }: { portions: readonly Portion[] }): JSX.Element {
  const label = portions.map(({ name, count }) => `${renderCount(count)} ${name}`).join(', ');
  const segments = stackSegments(
    portions.map(({ count }) => count),
    300,
    3,
  );
  return (
    <svg class="stack" viewBox="0 0 300 6" preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      {segments.map(({ x, width }, i) =>
        width > 0 ? (
          <rect key={portions[i]!.name} class={`fill-${portions[i]!.tone}`} x={x} y="0" width={width} height="6" />
        ) : null,
      )}
    </svg>
  );
}

/** Bars over time: how much happened in each span. */
export function Spark({ counts, label }: { counts: readonly number[]; label: string }): JSX.Element {
  const most = Math.max(1, ...counts);
  return (
    <svg class="spark" viewBox={`0 0 ${counts.length * 8} 40`} preserveAspectRatio="none" role="img" aria-label={label}>
      <title>{label}</title>
      {counts.map((count, i) => {
        const height = count === 0 ? 2 : Math.max(4, (count / most) * 38);
        return (
          <rect
            key={i}
            class={count === 0 ? 'none' : ''}
            x={i * 8 + 1}
            y={40 - height}
            width="6"
            height={height}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

export function Progress({ part, whole }: { part: number; whole: number }): JSX.Element {
  return (
    <Stack
      portions={[
        { name: 'bytes done', count: part, tone: 'busy' },
        { name: 'bytes left', count: Math.max(0, whole - part), tone: 'idle' },
      ]}
    />
  );
}
