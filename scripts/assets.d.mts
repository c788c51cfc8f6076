export class AssetsUnavailable extends Error {}

export interface ResolveOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** False: never build, only find. */
  readonly build?: boolean;
  readonly log?: (line: string) => void;
}

export function resolveAssets(options?: ResolveOptions): Promise<string>;
export function kubernetesVersion(): string;
