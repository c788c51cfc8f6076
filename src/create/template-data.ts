import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import { errorMessage } from '../base/index.ts';
import { parseReference } from '../image/index.ts';
import { ecrHostOf } from './ecr-host.ts';
import { CreateError } from './errors.ts';

/** The names a template may use. Built-ins are always set, and empty if the image lacks that part. */
export interface TemplateData {
  readonly ServiceName: string;
  readonly Namespace: string;
  readonly ImageName: string;
  readonly ImageTag: string;
  readonly ImageDigest: string;
  readonly FullImageName: string;
  readonly ImageRepository: string;
  readonly RepositoryName: string;
  readonly Registry: string;
  readonly Region: string;
  readonly AccountID: string;
  readonly K8sCompatibleName: string;
  readonly TagPrefix: string;
  readonly GitRepoURL: string;
  readonly Variables: Readonly<Record<string, string>>;
  /**
   * User variables at the top level. A built-in of the same name wins, so that shared templates mean the same
   * everywhere.
   */
  readonly [variable: string]: string | Readonly<Record<string, string>>;
}

const maxLabelLength = 63;

export function templateData(
  detection: Pick<ImageDetected['spec'], 'imageName' | 'imageTag' | 'imageDigest' | 'fullImageName' | 'tagPrefix'>,
  { gitRepository, variables = {} }: Pick<ResourceTemplate['spec'], 'gitRepository' | 'variables'>,
): TemplateData {
  const { registry, repository } = partsOf(detection.fullImageName);
  const slash = repository.lastIndexOf('/');
  const [before, service] = [repository.slice(0, Math.max(0, slash)), repository.slice(slash + 1)];
  const { account = '', region = '' } = ecrHostOf(registry) ?? {};
  return {
    ...variables,
    ServiceName: service,
    Namespace: variables['namespace'] ?? before,
    ImageName: detection.imageName,
    ImageTag: detection.imageTag,
    ImageDigest: detection.imageDigest,
    FullImageName: detection.fullImageName,
    ImageRepository: `${registry}/${repository}`,
    RepositoryName: repository,
    Registry: registry,
    Region: region,
    AccountID: account,
    K8sCompatibleName: kubernetesName(repository),
    TagPrefix: detection.tagPrefix ?? '',
    GitRepoURL: withoutCredentials(gitRepository.url),
    Variables: variables,
  };
}

/** As written, not normalised by Docker's rules: `docker.io/nginx` gets no `library/`. */
function partsOf(fullImageName: string): { readonly registry: string; readonly repository: string } {
  try {
    const { registry, path } = parseReference(fullImageName);
    const written = fullImageName.slice(registry.length + 1).split(/[:@]/, 1)[0]!;
    const isWritten = fullImageName.startsWith(`${registry}/`) && path.endsWith(written);
    return { registry, repository: isWritten ? written : path };
  } catch (thrown) {
    throw new CreateError('create-image-invalid', `spec.fullImageName: ${errorMessage(thrown)}`, thrown);
  }
}

/** Turns any text into a DNS label. */
function kubernetesName(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, maxLabelLength)
    .replace(/-+$/, '');
  return name === '' ? 'unnamed' : name;
}

/** The URL without user and password. */
function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, (all, scheme: string) =>
    scheme.toLowerCase().startsWith('ssh') && !all.includes(':', scheme.length) ? all : scheme,
  );
}
