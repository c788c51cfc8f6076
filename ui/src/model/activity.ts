import type { Activity } from '../../../src/dashboard/protocol.ts';

export interface ActivityGroup {
  /** The newest of them. */
  readonly newest: Activity;
  readonly count: number;
}

/** What follows itself takes one row: twenty events of one policy must not hide a commit. */
export function groupActivity(items: readonly Activity[]): ActivityGroup[] {
  const groups: { newest: Activity; count: number }[] = [];
  for (const item of items) {
    const last = groups.at(-1);
    if (
      last &&
      last.newest.kind === item.kind &&
      last.newest.reason === item.reason &&
      last.newest.image === item.image
    )
      last.count += 1;
    else groups.push({ newest: item, count: 1 });
  }
  return groups;
}
