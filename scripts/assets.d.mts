export class AssetsUnavailable extends Error {}

export interface ResolveOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** False: only find, never build. */
  readonly build?: boolean;
  readonly log?: (line: string) => void;
}

export function resolveAssets(options?: ResolveOptions): Promise<string>;
export function kubernetesVersion(): string;
