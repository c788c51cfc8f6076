import { generated, header, row } from './markdown.ts';
import { sourceFiles } from './source.ts';

interface EventDescription {
  readonly reason: string;
  readonly type: 'Normal' | 'Warning';
  readonly about: string;
  readonly meaning: string;
  /** The file that records it. */
  readonly from: string;
}

const events: readonly EventDescription[] = [
  {
    reason: 'PolicyViolation',
    type: 'Warning',
    about: 'policy; the object, if it exists',
    from: 'admission/events.ts',
    meaning: 'A rule failed for an admission request; `(blocked)` if the request was refused.',
  },
  {
    reason: 'PolicyError',
    type: 'Warning',
    about: 'policy; the object, if it exists',
    from: 'admission/events.ts',
    meaning: 'A rule could not be evaluated for an admission request.',
  },
  {
    reason: 'PolicyApplied',
    type: 'Normal',
    about: 'policy',
    from: 'admission/events.ts',
    meaning: 'A rule passed. Not written by default: `admission.omitEvents`.',
  },
  {
    reason: 'PolicySkipped',
    type: 'Normal',
    about: 'policy',
    from: 'admission/events.ts',
    meaning: 'An exception excused the object. Not written by default.',
  },
  {
    reason: 'PolicyApplied',
    type: 'Normal',
    about: 'policy and trigger',
    from: 'generate/generate-recorder.ts',
    meaning: 'A generate rule created an object.',
  },
  {
    reason: 'PolicyError',
    type: 'Warning',
    about: 'policy',
    from: 'generate/generate-recorder.ts',
    meaning: 'A generate rule failed, lost triggers, or cannot watch a kind.',
  },
  {
    reason: 'PolicyError',
    type: 'Warning',
    about: 'policy',
    from: 'app/features/report.ts',
    meaning: 'Reports leave out a kind that cannot be listed or watched.',
  },
  {
    reason: 'WebhookUnreachable',
    type: 'Warning',
    about: 'MutatingWebhookConfiguration of the probe',
    from: 'webhook/reachability.ts',
    meaning: 'The API server does not reach the webhooks; no webhook is added until it does.',
  },
  {
    reason: 'WebhookReachable',
    type: 'Normal',
    about: 'MutatingWebhookConfiguration of the probe',
    from: 'webhook/reachability.ts',
    meaning: 'It reaches them again.',
  },
  {
    reason: 'PolicyApplied',
    type: 'Normal',
    about: 'DeletingPolicy',
    from: 'cleanup/cleanup.ts',
    meaning: 'The policy deleted an object.',
  },
  {
    reason: 'PolicyError',
    type: 'Warning',
    about: 'DeletingPolicy',
    from: 'cleanup/cleanup.ts',
    meaning: 'The policy could not judge or delete an object, or not list a kind.',
  },
  {
    reason: 'ScanFailed',
    type: 'Warning',
    about: 'ImageResourcePolicy',
    from: 'detect/controller.ts',
    meaning: 'The registry could not be looked at.',
  },
  {
    reason: 'PartialFailure',
    type: 'Warning',
    about: 'ImageResourcePolicy',
    from: 'detect/controller.ts',
    meaning: 'Some repositories could not be read; the others were.',
  },
  {
    reason: 'ImageDetected',
    type: 'Normal',
    about: 'ImageResourcePolicy',
    from: 'detect/controller.ts',
    meaning: 'An image was detected.',
  },
  {
    reason: 'Committed',
    type: 'Normal',
    about: 'ImageDetected and ResourceTemplate',
    from: 'create/controller.ts',
    meaning: 'Files were committed.',
  },
  {
    reason: 'DelegatedToGitOps',
    type: 'Normal',
    about: 'ImageDetected',
    from: 'create/controller.ts',
    meaning: 'Skipped: another version runs or is in the branch.',
  },
  {
    reason: 'Superseded',
    type: 'Normal',
    about: 'ImageDetected',
    from: 'create/controller.ts',
    meaning: 'Skipped: the policy has since detected another version.',
  },
  {
    reason: 'UnquotedTag',
    type: 'Warning',
    about: 'ResourceTemplate',
    from: 'create/controller.ts',
    meaning: 'A tag became a number or another value that is no text.',
  },
  {
    reason: 'ImagesReplaced',
    type: 'Normal',
    about: 'workload',
    from: 'mirror/rewrite-controller.ts',
    meaning: 'Images of the workload were replaced by their copies.',
  },
  {
    reason: 'CopyFailed',
    type: 'Warning',
    about: 'MirroredImage',
    from: 'mirror/copy-controller.ts',
    meaning: 'An image could not be copied.',
  },
];

/** Files that record events; the embedded cluster records those of Kubernetes itself. */
const recording = /\bevents\.record\(|\bevents,\s*omitted\b/;

/** docs/reference/events.md. Throws where the list and the source differ. */
export function eventsReference(): string {
  const sources = sourceFiles().filter(({ path }) => !path.startsWith('apiserver/'));
  for (const { reason, from } of events)
    if (!sources.find(({ path }) => path === from)?.text.includes(`'${reason}'`))
      throw new Error(`src/${from} does not record ${reason}: correct scripts/reference/events.ts`);
  for (const { path, text } of sources)
    if (recording.test(text) && path !== 'app/features/admission.ts' && !events.some(({ from }) => from === path))
      throw new Error(`src/${path} records events: list them in scripts/reference/events.ts`);
  const rows = events.map(({ reason, type, about, meaning }) => row(`\`${reason}\``, type, about, meaning));
  return `# Events

${generated('scripts/reference/events.ts, checked against the source')}
Supercargo writes these Kubernetes events; equal events are counted in one. \`kubectl get events\` and \`kubectl describe\` show
them. The outcome of an ImageDetected is an event with the reason of its condition, and there are more reasons for a failure:
see [detection](../detection.md).

${header('Reason', 'Type', 'About', 'Meaning')}${rows.join('')}`;
}
