import { keyOf } from '../object/index.ts';
import { CreateError } from './errors.ts';
import { findOtherOwner } from './path-owner.ts';
import type { PublishItem, PublishResult } from './publish-item.ts';

/** The files of a branch at the parent commit of ours. */
export interface BranchFiles {
  /** Undefined if the file does not exist. */
  read(path: string): Promise<string | undefined>;
}

export interface BatchPlan {
  readonly changes: readonly { readonly path: string; readonly content: string }[];
  /** Detections whose files are in the changes. Their result is the commit. */
  readonly written: readonly PublishItem[];
  /** Results of the other detections. */
  readonly results: ReadonlyMap<PublishItem, PublishResult>;
}

/**
 * Plans one commit from the content of the branch. `pushed` maps the uid of a detection to its commit. Every call plans
 * from scratch because the branch may have moved.
 */
export async function planBatch(
  items: readonly PublishItem[],
  files: BranchFiles,
  pushed: ReadonlyMap<string, string>,
): Promise<BatchPlan> {
  const changes = new Map<string, { readonly content: string; readonly item: PublishItem }>();
  const results = new Map<PublishItem, PublishResult>();
  const written: PublishItem[] = [];
  for (const item of items) {
    const commit = pushed.get(item.detection.metadata.uid ?? '');
    if (commit !== undefined) {
      results.set(item, { kind: 'committed', commit, files: pathsOf(item), isRecovered: true });
      continue;
    }
    if (item.isSuperseded) {
      results.set(item, { kind: 'superseded' });
      continue;
    }
    const precedent = await findPrecedent(item, files);
    if (precedent) {
      results.set(item, precedent);
      continue;
    }
    try {
      const own = await changesOf(item, files, changes);
      await checkOwners(item, files, own);
      for (const [path, content] of own) changes.set(path, { content, item });
      if (own.size > 0) written.push(item);
      else results.set(item, { kind: 'present', files: pathsOf(item) });
    } catch (thrown) {
      if (!(thrown instanceof CreateError)) throw thrown;
      results.set(item, { kind: 'failed', thrown });
    }
  }
  return { changes: [...changes].map(([path, { content }]) => ({ path, content })), written, results };
}

export const pathsOf = ({ files }: PublishItem): readonly string[] => files.map(({ path }) => path);

async function findPrecedent(item: PublishItem, files: BranchFiles): Promise<PublishResult | undefined> {
  if (!item.keepsFiles) return undefined;
  for (const precedent of item.precedents)
    for (const path of precedent.status?.files ?? [])
      if ((await files.read(path)) !== undefined)
        return { kind: 'present', files: [path], precedent: keyOf(precedent) };
  return undefined;
}

type Changes = ReadonlyMap<string, { readonly content: string; readonly item: PublishItem }>;

async function changesOf(item: PublishItem, files: BranchFiles, taken: Changes): Promise<ReadonlyMap<string, string>> {
  const own = new Map<string, string>();
  for (const { path, content } of item.files) {
    checkClash(path, content, item, taken);
    const present = taken.get(path)?.content ?? (await files.read(path));
    if (present === undefined || (!item.keepsFiles && present !== content)) own.set(path, content);
  }
  return own;
}

/** The file in the branch belongs to another image. Keeping it and reporting success would lose this image. */
async function checkOwners(item: PublishItem, files: BranchFiles, own: ReadonlyMap<string, string>): Promise<void> {
  const { spec } = item.detection;
  const check = item.template.spec.duplicateCheck ?? 'repository';
  for (const file of item.files) {
    const { path, content } = file;
    const present = own.has(path) && item.keepsFiles ? undefined : await files.read(path);
    if (present === undefined || present === content) continue;
    const other = findOtherOwner({ file, present, spec, check });
    if (other === undefined) continue;
    throw new CreateError(
      'create-path-clash',
      `${path} of ${spec.fullImageName} is in the branch already for ${other}: put {{ .RepositoryName }}, {{ .Registry }} or {{ .TagPrefix }} into the path`,
    );
  }
}

/**
 * Two images need the same path in one commit: reject both instead of picking one. Identical content, such as a shared
 * file, is not a conflict.
 */
function checkClash(path: string, content: string, item: PublishItem, taken: Changes): void {
  const other = taken.get(path);
  const isClash = other !== undefined && other.content !== content;
  const inside = [...taken.keys()].find((one) => one.startsWith(`${path}/`) || path.startsWith(`${one}/`));
  if (!isClash && inside === undefined) return;
  const holder = (other ?? taken.get(inside!)!).item.detection;
  throw new CreateError(
    'create-path-clash',
    `${path} of ${item.detection.spec.fullImageName} is written for ${holder.spec.fullImageName} as well: put {{ .ServiceName }} or {{ .TagPrefix }} into the path`,
  );
}
