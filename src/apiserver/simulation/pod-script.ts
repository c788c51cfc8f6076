import type { Pod } from 'kubernetes-types/core/v1.js';
import { controllerOf } from './owned-index.ts';
import type { Live } from './types.ts';

const simulateKey = 'supercargo.dev/simulate';
const durationKey = 'supercargo.dev/simulate-duration';

/** How a simulated pod ends: after a time, with an exit code. */
interface PodScript {
  readonly durationMs: number;
  readonly exitCode: number;
}

/**
 * Nothing is executed. A pod ends when it belongs to a Job or does not restart, when an annotation says so, or when its
 * command obviously fails (`false`, `exit 1`). Any other pod runs until it is deleted.
 */
export function scriptOf(pod: Live<Pod>, jobDurationMs: number): PodScript | undefined {
  const annotations = pod.metadata.annotations ?? {};
  const durationMs = parseDuration(annotations[durationKey]);
  const exitCode = annotations[simulateKey] === 'fail' ? 1 : commandExitCode(pod);
  const { restartPolicy } = pod.spec;
  const isOneShot = controllerOf(pod)?.kind === 'Job' || restartPolicy === 'Never' || restartPolicy === 'OnFailure';
  if (durationMs === undefined && exitCode === 0 && !isOneShot) return undefined;
  return { durationMs: durationMs ?? jobDurationMs, exitCode };
}

function commandExitCode({ spec }: Live<Pod>): number {
  for (const { command = [], args = [] } of spec.containers) {
    const words = [...command, ...args];
    if (words.length === 1 && /^(\/usr)?(\/bin\/)?false$/.test(words[0] ?? '')) return 1;
    const code = /(?:^|[;&\s])exit\s+(\d{1,3})\s*;?\s*$/.exec(words.at(-1) ?? '')?.[1];
    if (code !== undefined && Number(code) !== 0) return Number(code) & 0xff;
  }
  return 0;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Go's duration format: `5s`, `1m30s`, `250ms`. Anything else is ignored. */
function parseDuration(text: string | undefined): number | undefined {
  if (!text || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) {
    total += Number(amount) * (units[unit] ?? 0);
  }
  return total;
}

/** The output of `kubectl logs`: the same for the same pod, and it says that it is simulated. */
export function podLogs(
  pod: { readonly metadata: { readonly name?: string; readonly namespace?: string } },
  container: string,
): string {
  const { namespace = '', name = '' } = pod.metadata;
  return [
    `Simulated output of container ${container} in pod ${namespace}/${name}.`,
    'This cluster runs no containers: it is an embedded API server with simulated nodes.',
    '',
  ].join('\n');
}
