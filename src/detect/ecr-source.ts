import type { ECRClient, ImageDetail, Repository } from '@aws-sdk/client-ecr';
import { type AddressPolicy, errorMessage, SupercargoError } from '../base/index.ts';
import type { TagCandidate } from './candidate.ts';
import { endpointAgents } from './ecr-endpoint.ts';
import type { ImageSource } from './image-source.ts';
import { type AwsKeys, definedKeys, RoleCredentials } from './role-credentials.ts';

interface EcrSourceOptions {
  readonly region: string;
  readonly registryId?: string | undefined;
  readonly endpoint?: string | undefined;
  /** The allowed addresses of the endpoint; any if omitted. */
  readonly addresses?: AddressPolicy | undefined;
  readonly keys?: AwsKeys | undefined;
  /** The role to assume with the keys, or with the default credential chain. */
  readonly roleArn?: string | undefined;
  /** Caches role credentials between scans. */
  readonly roles?: RoleCredentials | undefined;
}

/** The maximum page size of ECR. */
const maxResults = 1000;
/** Stops a paging loop that does not end. */
const maxPages = 10_000;
const maxCandidates = 1_000_000;
const endless = (what: string) => new SupercargoError('detect-ecr', `ECR: the list of ${what} does not end`);

/**
 * ECR through the AWS SDK, loaded on first use. The list has digests and push times. The image host is what ECR
 * returns, so that every partition and private link is right.
 */
export function ecrSource(options: EcrSourceOptions): ImageSource {
  const { registryId } = options;
  let opened: Promise<ECRClient> | undefined;
  let host = '';
  const client = () => (opened ??= openClient(options));
  const scope = registryId === undefined ? {} : { registryId };
  return {
    get registry() {
      return host;
    },
    async *repositories({ exact }, signal) {
      const { paginateDescribeRepositories } = await import('./aws.ts');
      const names = exact === undefined ? {} : { repositoryNames: [exact] };
      const pages = paginateDescribeRepositories(
        { client: await client(), ...(exact === undefined ? { pageSize: maxResults } : {}) },
        { ...scope, ...names },
        { abortSignal: signal },
      );
      try {
        let count = 0;
        for await (const { repositories = [] } of pages) {
          if (++count > maxPages) throw endless('repositories');
          const found = repositories.flatMap(repositoryOf);
          host ||= found[0]?.registry ?? '';
          yield found;
        }
      } catch (thrown) {
        // A repository that does not exist yet has no images; that is not an error.
        if (!isNamed(thrown, 'RepositoryNotFoundException')) throw explain(thrown, options, signal);
      }
    },
    async tags({ path }, signal) {
      const { paginateDescribeImages } = await import('./aws.ts');
      const pages = paginateDescribeImages(
        { client: await client(), pageSize: maxResults },
        { ...scope, repositoryName: path, filter: { tagStatus: 'TAGGED' } },
        { abortSignal: signal },
      );
      const candidates: TagCandidate[] = [];
      try {
        let count = 0;
        for await (const { imageDetails = [] } of pages) {
          for (const image of imageDetails) candidates.push(...candidatesOf(path, image));
          if (++count > maxPages || candidates.length > maxCandidates) throw endless(path);
        }
      } catch (thrown) {
        throw explain(thrown, options, signal);
      }
      return candidates;
    },
    async digestOf({ repository, tag }) {
      throw new SupercargoError('detect-no-digest', `ECR returned no digest of ${repository}:${tag}`);
    },
    async close() {
      // A client that failed to open needs no close; the error was already reported.
      (await opened?.catch(() => undefined))?.destroy();
    },
  };
}

/** `123456789012.dkr.ecr.us-east-1.amazonaws.com/team-a/web` → its host and path. */
function repositoryOf({ repositoryName, repositoryUri }: Repository) {
  if (repositoryName === undefined || !repositoryUri?.endsWith(`/${repositoryName}`)) return [];
  return [{ path: repositoryName, registry: repositoryUri.slice(0, -repositoryName.length - 1) }];
}

function candidatesOf(repository: string, { imageTags = [], imageDigest, imagePushedAt }: ImageDetail): TagCandidate[] {
  if (imageDigest === undefined) return [];
  const pushedAtMs = imagePushedAt?.getTime();
  return imageTags.map((tag) => ({
    repository,
    tag,
    digest: imageDigest,
    ...(pushedAtMs === undefined ? {} : { pushedAtMs }),
  }));
}

async function openClient(options: EcrSourceOptions): Promise<ECRClient> {
  const { region, endpoint, addresses, keys, roleArn, roles = new RoleCredentials() } = options;
  const agents =
    endpoint !== undefined && addresses
      ? endpointAgents({ endpoint, hasOwnKeys: keys !== undefined, addresses })
      : undefined;
  const { ECRClient } = await import('./aws.ts');
  const credentials = roleArn
    ? async () => {
        const { expiration, ...own } = await roles.get({ region, roleArn, keys });
        return { ...definedKeys(own), ...(expiration === undefined ? {} : { expiration }) };
      }
    : keys && definedKeys(keys);
  return new ECRClient({
    region,
    // Retry on throttling: a scan has minutes, and other tools share the quota.
    retryMode: 'adaptive',
    maxAttempts: 6,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(agents ? { requestHandler: agents } : {}),
    ...(credentials ? { credentials } : {}),
  });
}

const isNamed = (thrown: unknown, name: string) => thrown instanceof Error && thrown.name === name;

const denials: Readonly<Record<string, string>> = {
  AccessDeniedException: 'grant ecr:DescribeRepositories and ecr:DescribeImages',
  AccessDenied: 'the role may not be assumed: check its trust policy',
  CredentialsProviderError: 'no AWS credentials were found: set spec.aws, or give the service account a role',
  UnrecognizedClientException: 'the access key is not known to AWS',
  InvalidClientTokenId: 'the access key is not known to AWS',
  InvalidSignatureException: 'the secret access key does not fit the access key',
  SignatureDoesNotMatch: 'the secret access key does not fit the access key',
  ExpiredTokenException: 'the session token has expired',
};

/** The AWS message with a hint. It contains no keys. */
function explain(thrown: unknown, { region, roleArn, keys, roles }: EcrSourceOptions, signal: AbortSignal): unknown {
  if (signal.aborted || thrown instanceof SupercargoError) return thrown;
  const name = thrown instanceof Error ? thrown.name : 'Error';
  // Revoked keys must not stay cached until they expire.
  if (roleArn !== undefined && denials[name] !== undefined) roles?.forget({ region, roleArn, keys });
  const advice = denials[name];
  const as = roleArn === undefined ? '' : ` as ${roleArn}`;
  return new SupercargoError(
    advice === undefined ? 'detect-ecr' : 'detect-ecr-denied',
    `ECR of ${region}${as}: ${name}: ${errorMessage(thrown)}${advice === undefined ? '' : `; ${advice}`}`,
    { cause: thrown, retry: 'backoff' },
  );
}
