/** Kubernetes' order of API versions, most stable and newest first: v2, v1, v1beta2, v1beta1, v1alpha1, others by name. */
export function compareVersions(a: string, b: string): number {
  const left = rank(a);
  const right = rank(b);
  for (let i = 0; i < 3; i++) if (left[i] !== right[i]) return right[i]! - left[i]!;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Stability (3 stable, 2 beta, 1 alpha, 0 not a version), major, minor. */
function rank(version: string): readonly [number, number, number] {
  const found = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!found) return [0, 0, 0];
  const stability = found[2] === undefined ? 3 : found[2] === 'beta' ? 2 : 1;
  return [stability, Number(found[1]), Number(found[3] ?? 0)];
}
