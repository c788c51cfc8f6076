export interface ImageName {
  /** `ghcr.io/team/`; empty for what has no registry. */
  readonly prefix: string;
  /** The last part of the repository: `web`. */
  readonly name: string;
  readonly tag?: string;
  readonly digest?: string;
}

/** Takes an image apart for showing it: the last part of the repository is what people call the image. */
export function splitImage(id: string): ImageName {
  const at = id.indexOf('@');
  const digest = at < 0 ? undefined : id.slice(at + 1);
  const named = at < 0 ? id : id.slice(0, at);
  const slash = named.lastIndexOf('/');
  const colon = named.indexOf(':', slash + 1);
  const repository = colon < 0 ? named : named.slice(0, colon);
  return {
    prefix: repository.slice(0, slash + 1),
    name: repository.slice(slash + 1),
    ...(colon < 0 ? {} : { tag: named.slice(colon + 1) }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** `sha256:ab12cd34…` → `ab12cd34ef56`; other algorithms keep their name. */
export function shortDigest(digest: string): string {
  const hex = digest.startsWith('sha256:') ? digest.slice(7) : digest;
  return hex.slice(0, 12);
}

export const shortCommit = (sha: string): string => sha.slice(0, 7);

/** The page of a commit for the hosts whose addresses are known; undefined for others. */
export function commitUrl(repository: string | undefined, sha: string): string | undefined {
  if (!/^[0-9a-f]{7,64}$/.test(sha)) return undefined;
  const found = repository
    ?.replace(/\/?$|\.git\/?$/, '')
    .match(/^(?:https:\/\/|ssh:\/\/git@|git@)(github\.com|gitlab\.com|codeberg\.org)[/:]([\w.~-]+(?:\/[\w.~-]+)+)$/);
  if (!found) return undefined;
  const [, host, path] = found;
  return `https://${host}/${path}/${host === 'gitlab.com' ? '-/commit' : 'commit'}/${sha}`;
}

/** What a message says of an image that is named beside it: `ghcr.io/a/b:1 does not exist` → `does not exist`. */
export const afterName = (message: string, name: string): string =>
  message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;

/**
 * Of a text that ends with a name for a copy of the image: without what repeats the image's path. `to
 * backup/ghcr.io/team/web:1` → `to backup/ghcr.io`.
 */
export function withoutName(text: string, image: string): string {
  const parts = text.split('/');
  const same = image.split('/').slice(1);
  while (parts.length > 1 && same.length > 0 && parts.at(-1) === same.at(-1)) {
    parts.pop();
    same.pop();
  }
  return parts.join('/');
}
