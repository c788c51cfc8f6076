import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** As much of the ECR API as the program asks for, on loopback: repositories by name, with their tags, and logins. */
export interface EcrServer {
  readonly endpoint: string;
  /** The access keys that signed the requests. */
  readonly keys: readonly string[];
  stop(): Promise<void>;
}

const account = '123456789012';

export async function startEcrServer(
  region: string,
  repositories: Readonly<Record<string, readonly string[]>>,
  password = '',
): Promise<EcrServer> {
  const keys: string[] = [];
  const answers: Readonly<Record<string, (input: { readonly repositoryName?: string }) => object>> = {
    DescribeRepositories: () => ({
      repositories: Object.keys(repositories).map((repositoryName) => ({
        repositoryName,
        repositoryUri: `${account}.dkr.ecr.${region}.amazonaws.com/${repositoryName}`,
      })),
    }),
    GetAuthorizationToken: () => ({
      authorizationData: [
        {
          authorizationToken: Buffer.from(`AWS:${password}`).toString('base64'),
          expiresAt: Math.floor(Date.now() / 1000) + 12 * 3600,
        },
      ],
    }),
    DescribeImages: ({ repositoryName = '' }) => ({
      imageDetails: (repositories[repositoryName] ?? []).map((tag, i) => ({
        imageTags: [tag],
        imageDigest: `sha256:${String(i).repeat(64).slice(0, 64)}`,
        imagePushedAt: 1_700_000_000 + i,
      })),
    }),
  };
  const server = createServer(async (request, response) => {
    const action = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    keys.push(/Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '');
    const answer = answers[action]?.(JSON.parse(await text(request)));
    response.writeHead(answer ? 200 : 400, { 'content-type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer ?? { __type: 'UnknownOperationException' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
