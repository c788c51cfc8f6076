import { CreateRepositoryCommand, ECRClient, PutImageCommand } from '@aws-sdk/client-ecr';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';

/** Puts images into the ECR of a stand-in, as the owner of an account. */
export interface EcrImages {
  createRepository(name: string): Promise<void>;
  /** A manifest whose digest depends on repository and tag. */
  put(repository: string, tag: string): Promise<void>;
  close(): void;
}

export interface EcrImagesOptions {
  readonly endpoint: string;
  readonly region: string;
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Images go to the account of this role. */
  readonly roleArn?: string;
}

const mediaType = 'application/vnd.docker.distribution.manifest.v2+json';

export function ecrImages({ endpoint, region, keys, roleArn }: EcrImagesOptions): EcrImages {
  const credentials =
    roleArn === undefined
      ? // A copy: the SDK notes in it where it comes from.
        { ...keys }
      : fromTemporaryCredentials({
          params: { RoleArn: roleArn },
          clientConfig: { region, endpoint },
          masterCredentials: { ...keys },
        });
  const ecr = new ECRClient({ region, endpoint, credentials });
  return {
    async createRepository(repositoryName) {
      await ecr.send(new CreateRepositoryCommand({ repositoryName }));
    },
    async put(repositoryName, imageTag) {
      const layers = [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', size: 1, digest: `sha256:${imageTag}` }];
      const imageManifest = JSON.stringify({ schemaVersion: 2, mediaType, repositoryName, imageTag, layers });
      await ecr.send(new PutImageCommand({ repositoryName, imageTag, imageManifest }));
    },
    close: () => ecr.destroy(),
  };
}
