import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseJson, renderJson } from '../../base/index.ts';

export interface StandInRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A received report about a policy or a job. */
type Report = Readonly<Record<string, unknown>>;

interface StandInJob {
  readonly id: number | string;
  readonly reportType: string;
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface StandInOptions {
  readonly organization?: string;
  readonly cluster?: string;
  readonly token?: string;
  /** Responds instead of the server and returns true. For tests of server errors. */
  readonly intercept?: (request: StandInRequest, response: ServerResponse) => boolean | Promise<boolean>;
}

/** A local server with the part of the Insights API that the program uses. */
export interface InsightsStandIn {
  readonly url: string;
  readonly token: string;
  /** The environment variables that point the program to it. */
  readonly env: Readonly<Record<string, string>>;
  /** The YAML that it responds with. */
  policies: string;
  /** Offers a job; it is claimed once. */
  offer(job: StandInJob): void;
  readonly offered: readonly StandInJob[];
  readonly policyReports: readonly Report[];
  /** In order of arrival: `41 running`. */
  readonly jobReports: readonly string[];
  readonly requests: readonly StandInRequest[];
  stop(): Promise<void>;
}

const maxBodyBytes = 8 * 1024 * 1024;

export async function startInsightsStandIn(options: StandInOptions = {}): Promise<InsightsStandIn> {
  const { organization = 'acme', cluster = 'local', token = 'stand-in-token', intercept } = options;
  const prefix = `/v0/organizations/${organization}/clusters/${cluster}`;
  const offered: StandInJob[] = [];
  const policyReports: Report[] = [];
  const jobReports: string[] = [];
  const requests: StandInRequest[] = [];
  let policies = '';

  const respond = (request: StandInRequest): StandInResponse => {
    const { pathname, searchParams } = new URL(request.path, 'http://stand-in');
    const route = `${request.method} ${pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : ''}`;
    if (route === 'GET /kyverno-policies/with-app-groups-applied/yaml')
      return { status: 200, text: policies, type: 'application/x-yaml' };
    if (route === 'PUT /policies/apply-status') {
      policyReports.push(parseJson(request.body) as Report);
      return json({});
    }
    if (route === 'POST /reports/on-demand-jobs/claim') {
      const taken = offered.splice(0, Number(searchParams.get('limit') ?? 1));
      return json(taken.map((job) => ({ options: {}, ...job, status: 'claimed' })));
    }
    const id = /^PATCH \/reports\/on-demand-jobs\/([^/]+)\/status$/.exec(route)?.[1];
    if (id === undefined) return json({ message: 'not found' }, 404);
    const { status } = parseJson(request.body) as Report;
    jobReports.push(`${decodeURIComponent(id)} ${String(status)}`);
    return json({});
  };

  const server = createServer(async (incoming, response) => {
    try {
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', body: await readBody(incoming) };
      requests.push(request);
      if (await intercept?.(request, response)) return;
      if (incoming.headers.authorization !== `Bearer ${token}`) send(response, json({ message: 'unauthorized' }, 401));
      else send(response, respond(request));
    } catch {
      if (!response.headersSent) send(response, json({ message: 'bad request' }, 400));
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    token,
    env: {
      FAIRWINDS_INSIGHTS_HOST: url,
      FAIRWINDS_TOKEN: token,
      FAIRWINDS_ORG: organization,
      FAIRWINDS_CLUSTER: cluster,
    },
    get policies() {
      return policies;
    },
    set policies(text: string) {
      policies = text;
    },
    offer: (job) => void offered.push(job),
    offered,
    policyReports,
    jobReports,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface StandInResponse {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

const json = (value: unknown, status = 200): StandInResponse => ({
  status,
  text: renderJson(value),
  type: 'application/json',
});

function send(response: ServerResponse, { status, text, type }: StandInResponse): void {
  const body = Buffer.from(text);
  response.writeHead(status, { 'content-type': type, 'content-length': body.length }).end(body);
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > maxBodyBytes) throw new Error('too large');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
