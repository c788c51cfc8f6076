import type { LastDetected } from '../api/index.ts';
import { rfc3339 } from '../base/index.ts';
import type { TagDecision } from './candidate.ts';
import type { ChosenImage } from './scan.ts';
import type { Selection } from './selection.ts';

interface NewDetections {
  /** Not detected before, and not a downgrade. */
  readonly detected: readonly ChosenImage[];
  /** Chosen, but already known or a downgrade. */
  readonly known: readonly KnownImage[];
}

export interface KnownImage {
  readonly image: ChosenImage;
  readonly reason: string;
  /** A newer version was detected before. */
  readonly isDowngrade: boolean;
}

/** Compares the chosen images with the last detected ones: nothing twice, no downgrade. */
export function findNewDetections(
  chosen: readonly ChosenImage[],
  last: readonly LastDetected[],
  selection: Selection,
): NewDetections {
  const detected: ChosenImage[] = [];
  const known: KnownImage[] = [];
  const before = new Map(last.map((entry) => [slotOf(entry), entry]));
  for (const image of chosen) {
    const previous = before.get(slotOf(image));
    if (previous === undefined) detected.push(image);
    else if (previous.tag === image.tag && previous.digest === image.digest)
      known.push({ image, reason: 'it was detected before', isDowngrade: false });
    else if (selection.advances(candidateOf(previous), image)) detected.push(image);
    else
      known.push({
        image,
        reason: `${previous.tag} was detected before, and nothing is downgraded`,
        isDowngrade: true,
      });
  }
  return { detected, known };
}

/** Adds dates that a scan read to entries that were detected without a date. */
export function addDates(last: readonly LastDetected[], decisions: readonly TagDecision[]): readonly LastDetected[] {
  const dates = new Map(
    decisions.map(({ candidate: { repository, tag, createdAtMs } }) => [`${repository}\n${tag}`, createdAtMs]),
  );
  return last.map((entry) => {
    const createdAtMs = dates.get(`${entry.repository}\n${entry.tag}`);
    if (entry.createdAt !== undefined || createdAtMs === undefined) return entry;
    return { ...entry, createdAt: new Date(createdAtMs).toISOString() };
  });
}

/** The next `lastDetected` of the status. Old entries stay: a repository may come back. */
export function updateLastDetected(
  last: readonly LastDetected[],
  detected: readonly ChosenImage[],
  nowMs: number,
): readonly LastDetected[] {
  const entries = new Map(last.map((entry) => [slotOf(entry), entry]));
  for (const image of detected) {
    entries.delete(slotOf(image));
    entries.set(slotOf(image), {
      repository: image.repository,
      ...(image.prefix === undefined ? {} : { prefix: image.prefix }),
      tag: image.tag,
      digest: image.digest,
      // Milliseconds: two pushes within one second must keep their order.
      ...(image.pushedAtMs === undefined ? {} : { pushedAt: new Date(image.pushedAtMs).toISOString() }),
      ...(image.createdAtMs === undefined ? {} : { createdAt: new Date(image.createdAtMs).toISOString() }),
      detectedAt: rfc3339(nowMs),
    });
  }
  // Bounds the size of the object; the entries detected longest ago are dropped first.
  return [...entries.values()].slice(-maxRemembered);
}

/** 200 repositories with five prefixes each: about 250 KB. */
const maxRemembered = 1000;

const slotOf = ({ repository, prefix }: { readonly repository: string; readonly prefix?: string | undefined }) =>
  `${repository}\n${prefix ?? ''}`;

function candidateOf({ repository, tag, digest, pushedAt, createdAt }: LastDetected) {
  return {
    repository,
    tag,
    digest,
    ...(pushedAt === undefined ? {} : { pushedAtMs: Date.parse(pushedAt) }),
    ...(createdAt === undefined ? {} : { createdAtMs: Date.parse(createdAt) }),
  };
}
