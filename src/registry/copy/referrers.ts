import { mapConcurrent } from '../../base/index.ts';
import { type Digest, digestAlgorithm, digestHex, isTag, type Tag } from '../../image/index.ts';
import type { RegistryClient } from '../client.ts';
import { isRegistryError } from '../errors.ts';
import type { FetchedManifest } from '../manifests.ts';
import { maxReferrers } from '../referrers.ts';
import type { CopyContext } from './blob-copier.ts';

// Deepest nesting of referrers, such as signatures of signatures.
const maxDepth = 3;
/** Total size limit. Signatures, SBOMs and attestations are small; what exceeds the limit is not copied. */
const maxReferrerBytes = 1024 ** 3;
const atOnce = 4;
/** Tag suffixes that cosign uses for signatures, attestations and SBOMs at registries without referrers. */
const cosignSuffixes = ['sig', 'att', 'sbom'];

/**
 * Copies the referrers of a manifest, of the manifests of an index, and their own referrers. Returns how many were new.
 */
export async function copyReferrers(
  client: RegistryClient,
  context: CopyContext,
  root: Digest,
  known: FetchedManifest | undefined,
  copy: (fetched: FetchedManifest) => Promise<void>,
): Promise<number> {
  const subjects = [root, ...(await childrenOf(client, context, root, known))];
  const seen = new Set<Digest>(subjects);
  let copied = 0;
  const budget = { bytes: maxReferrerBytes };
  let level: readonly Digest[] = subjects;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const found = await mapConcurrent(level, atOnce, (subject) =>
      client.listReferrers(context.source, subject, context.signal),
    );
    const fresh = [...new Set(found.flat().map(({ digest }) => digest))].filter((digest) => !seen.has(digest));
    for (const digest of fresh.slice(0, maxReferrers - seen.size + subjects.length)) seen.add(digest);
    level = fresh.filter((digest) => seen.has(digest));
    const done = await mapConcurrent(level, atOnce, (digest) => copyOne(client, context, digest, within(budget, copy)));
    copied += done.filter(Boolean).length;
  }
  const tags = subjects.flatMap(cosignTags);
  const done = await mapConcurrent(tags, atOnce, (tag) => copyTagged(client, context, tag, within(budget, copy)));
  return copied + done.filter(Boolean).length;
}

/** Copies while the declared bytes of the manifests fit the budget. */
const within =
  (budget: { bytes: number }, copy: (fetched: FetchedManifest) => Promise<void>) =>
  async (fetched: FetchedManifest) => {
    const bytes = fetched.manifest.blobs.reduce((sum, { size }) => sum + size, fetched.size);
    if (bytes > budget.bytes) return false;
    budget.bytes -= bytes;
    await copy(fetched);
    return true;
  };

async function childrenOf(
  client: RegistryClient,
  { target, source, isDryRun, signal }: CopyContext,
  root: Digest,
  known: FetchedManifest | undefined,
): Promise<readonly Digest[]> {
  // Read it from the copy, which is complete by now: reading the source again may count against a pull limit.
  const fetched = known ?? (await client.getManifest(isDryRun ? source : target, root, signal));
  return fetched.manifest.manifests.map(({ digest }) => digest);
}

async function copyOne(
  client: RegistryClient,
  { source, target, signal }: CopyContext,
  digest: Digest,
  copy: (fetched: FetchedManifest) => Promise<boolean>,
): Promise<boolean> {
  if ((await client.headManifest(target, digest, signal)) !== undefined) return false;
  try {
    return await copy(await client.getManifest(source, digest, signal));
  } catch (thrown) {
    // A list may name referrers that have been deleted since.
    if (isRegistryError(thrown, 'registry-not-found')) return false;
    throw thrown;
  }
}

async function copyTagged(
  client: RegistryClient,
  context: CopyContext,
  tag: Tag,
  copy: (fetched: FetchedManifest) => Promise<boolean>,
): Promise<boolean> {
  const { source, target, signal, isDryRun } = context;
  const head = await client.headManifest(source, tag, signal);
  if (head === undefined) return false;
  if ((await client.headManifest(target, tag, signal))?.digest === head.digest) return false;
  const fetched = await client.getManifest(source, head.digest, signal);
  if (!(await copy(fetched))) return false;
  if (!isDryRun) await client.putManifest(target, tag, fetched, signal);
  return true;
}

function cosignTags(subject: Digest): Tag[] {
  const base = `${digestAlgorithm(subject)}-${digestHex(subject)}`;
  return cosignSuffixes.map((suffix) => `${base}.${suffix}`).filter(isTag);
}
