import { isIPv6 } from 'node:net';
import { ImageError, quote } from './errors.ts';

/** Docker counts the path alone, without the registry. */
export const maxRepositoryLength = 255;

const domain =
  /^(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])(?:\.(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9]))*$/;
// Adjacent separators are invalid, except "__" and any number of "-".
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;

/** `docker.io`, `localhost:5000`, `[fd00::1]:5000`; Docker Hub's other names become docker.io. */
export function parseRegistryHost(text: string): string {
  const why = whyNoHost(text);
  if (why !== undefined) throw new ImageError('image-registry-invalid', `${quote(text)} is no registry: ${why}`);
  return text === 'index.docker.io' || text === 'registry-1.docker.io' ? 'docker.io' : text;
}

function whyNoHost(text: string): string | undefined {
  if (text.length > 262) return 'it is longer than a host name and its port can be';
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(text) ?? [];
  if (port !== undefined && (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65535 || Number(port) === 0))
    return `${quote(port)} is no port`;
  if (host.startsWith('[')) {
    const address = host.slice(1, -1);
    return isIPv6(address) && !address.includes('%') ? undefined : `${quote(address)} is no IPv6 address`;
  }
  if (host === '') return 'the name of its host is missing';
  return domain.test(host) ? undefined : 'a host name has letters, digits, "-" and "."';
}

export function isRepositoryPath(text: string): boolean {
  return text.length <= maxRepositoryLength && text.split('/').every((part) => component.test(part));
}

/** Throws for an invalid repository path; `whole` is the user's input. */
export function checkRepositoryPath(path: string, whole: string): void {
  const refuse = (why: string) => new ImageError('image-reference-invalid', `${quote(whole)} is no image: ${why}`);
  if (path === '') throw refuse('the name of its repository is missing');
  if (path.length > maxRepositoryLength)
    throw refuse(`its repository has ${path.length} characters, and ${maxRepositoryLength} are allowed`);
  if (path !== path.toLowerCase()) throw refuse(`the repository ${quote(path)} must be in lower case`);
  const wrong = path.split('/').find((part) => !component.test(part));
  if (wrong === undefined) return;
  throw refuse(
    wrong === ''
      ? `the repository ${quote(path)} has an empty part`
      : `${quote(wrong)} must be letters and digits, joined by ".", "_", "__" or dashes`,
  );
}
