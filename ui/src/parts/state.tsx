import type { ComponentChildren, JSX } from 'preact';
import type { CopyState, DetectionPhase, JobState, ResultStatus, Severity } from '../../../src/dashboard/protocol.ts';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'good' | 'warn' | 'bad' | 'busy' | 'idle';

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

const look = (tone: Tone, icon: IconName, word: string): Look => ({ tone, icon, word });

export const copyLooks: Readonly<Record<CopyState, Look>> = {
  none: look('idle', 'dash', 'no copy'),
  pending: look('idle', 'clock', 'pending'),
  copying: look('busy', 'spin', 'copying'),
  copied: look('good', 'check', 'copied'),
  failed: look('bad', 'cross', 'failed'),
};

export const resultLooks: Readonly<Record<ResultStatus, Look>> = {
  pass: look('good', 'check', 'pass'),
  fail: look('bad', 'cross', 'fail'),
  warn: look('warn', 'alert', 'warn'),
  error: look('bad', 'alert', 'error'),
  skip: look('idle', 'skip', 'skip'),
};

export const jobLooks: Readonly<Record<JobState, Look>> = {
  pending: look('idle', 'clock', 'pending'),
  running: look('busy', 'spin', 'running'),
  succeeded: look('good', 'check', 'succeeded'),
  failed: look('bad', 'cross', 'failed'),
};

export const phaseLooks: Readonly<Record<DetectionPhase, Look>> = {
  pending: look('idle', 'clock', 'pending'),
  processing: look('busy', 'spin', 'processing'),
  completed: look('good', 'check', 'completed'),
  failed: look('bad', 'cross', 'failed'),
};

const severityTones: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  high: 'bad',
  medium: 'warn',
  low: 'idle',
  info: 'idle',
};

const unknown = (word: string): Look => look('idle', 'dot', word);

/** A sign, a word and a colour, in this order of importance. A state that a newer server sends is shown as its word. */
export function State<Name extends string>({
  of,
  looks,
  word,
}: {
  of: Name;
  looks: Readonly<Record<Name, Look>>;
  word?: ComponentChildren;
}): JSX.Element {
  const { tone, icon, word: usual } = looks[of] ?? unknown(of);
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} size={14} />
      {word ?? usual}
    </span>
  );
}

export function SeverityPill({ of }: { of: Severity | undefined }): JSX.Element {
  return of === undefined ? (
    <span class="faint">–</span>
  ) : (
    <span class={`pill ${severityTones[of] ?? 'idle'}`}>{of}</span>
  );
}

export function Pill({ tone = 'idle', children }: { tone?: Tone; children: ComponentChildren }): JSX.Element {
  return <span class={`pill ${tone}`}>{children}</span>;
}
