/** A uid in as few bytes as it has bits. Two are equal if the uids are. */
export type PackedUid = string;
/** A resourceVersion: as a number where that says the same. */
export type PackedVersion = string | number;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The units of a UUID: four hexadecimal digits each. */
const unitStarts = [0, 4, 9, 14, 19, 24, 28, 32] as const;

/** A UUID is eight characters then, and any other text is longer. */
export function packUid(uid: string): PackedUid {
  if (!uuid.test(uid)) return `not a UUID: ${uid}`;
  return String.fromCharCode(...unitStarts.map((start) => Number.parseInt(uid.slice(start, start + 4), 16)));
}

/** Exact integers without leading zeros, as every Kubernetes API server gives them. */
const plainNumber = /^[1-9][0-9]{0,14}$/;

export const packVersion = (version: string): PackedVersion => (plainNumber.test(version) ? Number(version) : version);
export const unpackVersion = (version: PackedVersion): string => String(version);
