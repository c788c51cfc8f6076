import { readFileSync } from 'node:fs';
import { afterAll, beforeAll } from 'vitest';
import { parseYaml } from '../../src/base/index.ts';
import { type ClientOptions, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Program, type ProgramOptions, startProgram } from '../support/program.ts';

/** One `supercargo up` for all the tests of a file. */
export interface E2eCluster {
  readonly program: Program;
  readonly target: Required<ClientOptions>;
  readonly api: HttpClient;
}

/** Starts `supercargo up --no-demo` before the tests of the file and stops it after them. */
export function useCluster(args: readonly string[] = [], options: ProgramOptions = {}): E2eCluster {
  let running: E2eCluster | undefined;
  const current = () => {
    if (!running) throw new Error('the cluster is not running');
    return running;
  };
  beforeAll(async () => {
    const program = await startProgram(['up', '--no-demo', '-o', 'json', ...args], options);
    const target = readTarget(program.ready.kubeconfig);
    running = { program, target, api: createHttpClient(target) };
  });
  afterAll(async () => {
    await running?.api.close();
    await running?.program.stop();
  });
  return {
    get program() {
      return current().program;
    },
    get target() {
      return current().target;
    },
    get api() {
      return current().api;
    },
  };
}

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [{ readonly user: { readonly token: string } }];
}

/** What the program's own kubeconfig says about its server. */
export function readTarget(kubeconfig: string): Required<ClientOptions> {
  const {
    clusters: [{ cluster }],
    users: [{ user }],
  } = parseYaml(readFileSync(kubeconfig, 'utf8'), { file: kubeconfig }) as unknown as Kubeconfig;
  const caPem = Buffer.from(cluster['certificate-authority-data'], 'base64').toString();
  return { url: cluster.server, caPem, token: user.token };
}
