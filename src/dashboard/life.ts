import type { CopyFact, DetectionFact, JobFact, ResultFact } from './facts.ts';
import type { ImageEntry } from './image-table.ts';
import type { LifeStage, Run } from './protocol.ts';
import type { Visibility } from './visibility.ts';

interface LifeOptions {
  readonly entry: ImageEntry;
  readonly runs: readonly Run[];
  readonly copies: readonly CopyFact[];
  /** The newest first, like the detections. */
  readonly jobs: readonly JobFact[];
  readonly detections: readonly DetectionFact[];
  readonly results: readonly ResultFact[];
  readonly sees: Visibility;
}

type Stage = Omit<LifeStage, 'stage'>;

/** The stages of an image's life, each with its state and the reason. */
export function lifeOf(options: LifeOptions): LifeStage[] {
  const { runs, detections } = options;
  const [detection] = detections;
  const isAdmitted = runs.length > 0;
  return [
    {
      stage: 'pushed',
      ...(detection && detection.pushedAt !== ''
        ? done('the registry tells the time', detection.pushedAt)
        : isAdmitted
          ? done('it was pulled; the time is not known')
          : none('no registry told a time')),
    },
    { stage: 'detected', ...detectedStage(detection) },
    { stage: 'committed', ...committedStage(detections) },
    {
      stage: 'admitted',
      ...(isAdmitted
        ? done(`${runs.length} ${runs.length === 1 ? 'container' : 'containers'}`)
        : none('no workload names it')),
    },
    { stage: 'copied', ...copiedStage(options) },
    { stage: 'running', ...runningStage(runs) },
    { stage: 'job', ...jobStage(options) },
    { stage: 'reported', ...reportedStage(options) },
  ];
}

const at = (time: string) => (time === '' ? {} : { at: time });
const done = (detail: string, time = ''): Stage => ({ state: 'done', detail, ...at(time) });
const none = (detail: string): Stage => ({ state: 'none', detail });

function detectedStage(detection: DetectionFact | undefined): Stage {
  if (!detection) return none('no ImageResourcePolicy found it');
  return done(`by ${detection.policyNamespace}/${detection.policyName}`, detection.detectedAt);
}

function committedStage(detections: readonly DetectionFact[]): Stage {
  const committed = detections.find(({ commit }) => commit !== '');
  if (committed) return done(committed.commit, committed.processedAt);
  const [latest] = detections;
  if (!latest) return none('nothing was detected');
  const { phase, reason, message, processedAt } = latest;
  const detail = [reason, message].filter((one) => one !== '').join(': ') || phase;
  if (phase === 'failed') return { state: 'failed', detail, ...at(processedAt) };
  return { state: phase === 'completed' ? 'none' : 'active', detail, ...at(processedAt) };
}

function copiedStage({ copies, sees }: LifeOptions): Stage {
  if (!sees.sees('mirroredimages', '')) return none('you may not list MirroredImages');
  const [copy] = copies;
  if (!copy) return none('no copy was asked for');
  if (copy.state === 'copied') return done(copy.copy, copy.copiedAt);
  if (copy.state === 'failed') return { state: 'failed', detail: copy.message, ...at(copy.checkedAt) };
  return { state: 'active', detail: copy.state };
}

function runningStage(runs: readonly Run[]): Stage {
  const pods = runs.flatMap(({ pods: { items } }) => items);
  const waiting = pods.find(({ state, reason = '' }) => state === 'waiting' && reason !== 'ContainerCreating');
  if (waiting) return { state: 'failed', detail: `${waiting.name}: ${waiting.reason ?? ''}` };
  const running = pods.filter(({ state }) => state === 'running').length;
  if (running > 0) return done(`${running} ${running === 1 ? 'container runs' : 'containers run'}`);
  if (pods.some(({ state }) => state === 'waiting' || state === 'unknown'))
    return { state: 'active', detail: 'pods are starting' };
  if (pods.length > 0) return done('its pods have ended');
  return none(runs.length > 0 ? 'the workloads have no pods' : 'no workload names it');
}

function jobStage({ jobs: [job], sees }: LifeOptions): Stage {
  if (!sees.seesAny('jobs')) return none('you may not list Jobs');
  if (!job) return none('no Job was made for it');
  if (job.state === 'succeeded') return done(job.name, job.endedAt);
  if (job.state === 'failed') return { state: 'failed', detail: `${job.name}: ${job.reason}`, ...at(job.endedAt) };
  return { state: 'active', detail: job.name, ...at(job.startedAt) };
}

function reportedStage({ results, runs, sees }: LifeOptions): Stage {
  if (!sees.seesAny('policyreports')) return none('you may not list PolicyReports');
  if (runs.length === 0) return none('no workload names it');
  const bad = results.filter(({ result }) => result !== 'warn').length;
  if (bad > 0) return { state: 'failed', detail: `${bad} ${bad === 1 ? 'result fails' : 'results fail'}` };
  return done(results.length > 0 ? `${results.length} warnings` : 'no result fails');
}
