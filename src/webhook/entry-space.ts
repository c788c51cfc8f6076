import type { RefusedEntry, WebhookEntry } from './reviewer.ts';

/** etcd stores objects of at most 1.5 MiB; metadata and managed fields need some of that too. */
export const maxConfigurationBytes = 1_000_000;

/**
 * The entries that fit into one configuration. Entries of ClusterPolicies are always included. Namespaces share the rest
 * evenly, so that a namespace with many or large policies loses only its own entries.
 */
export function fitEntries(
  entries: readonly WebhookEntry[],
  sizeOf: (entry: WebhookEntry) => number,
  maxBytes = maxConfigurationBytes,
): { readonly fitting: readonly WebhookEntry[]; readonly tooLarge: readonly RefusedEntry[] } {
  let left = maxBytes;
  const owners = new Map<string, Owner>();
  for (const entry of entries) {
    const bytes = sizeOf(entry);
    if (entry.namespace === undefined) {
      left -= bytes;
      continue;
    }
    const owner = owners.get(entry.namespace) ?? { bytes: 0, entries: [] };
    owners.set(entry.namespace, owner);
    owner.entries.push({ entry, bytes });
    owner.bytes += bytes;
  }
  const tooLarge: RefusedEntry[] = [];
  const smallestFirst = [...owners.values()].sort((a, b) => a.bytes - b.bytes);
  for (const [index, owner] of smallestFirst.entries()) {
    const share = Math.max(0, Math.floor(left / (smallestFirst.length - index)));
    let used = 0;
    for (const { entry, bytes } of owner.entries.sort((a, b) => a.bytes - b.bytes)) {
      if (used + bytes <= share) used += bytes;
      else
        tooLarge.push({
          entry,
          message: `the webhooks of namespace ${entry.namespace} exceed their share of ${share} bytes`,
        });
    }
    left -= used;
  }
  const refused = new Set(tooLarge.map(({ entry }) => entry));
  return { fitting: refused.size === 0 ? entries : entries.filter((entry) => !refused.has(entry)), tooLarge };
}

interface Owner {
  bytes: number;
  readonly entries: { readonly entry: WebhookEntry; readonly bytes: number }[];
}
