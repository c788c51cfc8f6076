import type { CredentialSource } from './credentials.ts';

/** The configuration to reach one API server as one user. */
export interface ClusterConfig {
  /** For messages: the context's name, `in-cluster`, or the caller's choice. */
  readonly name: string;
  /** This process runs in a pod of the cluster: the connection is that of its ServiceAccount. */
  readonly isInPod?: boolean | undefined;
  /** `https://host:port`, with a path when the server is behind one. */
  readonly server: string;
  readonly tls: ClusterTls;
  readonly credentials: CredentialSource;
  /** The namespace of commands that name none. */
  readonly namespace: string;
  /** Headers for every request (impersonation). */
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly proxyUrl?: string | undefined;
}

export interface ClusterTls {
  /** PEM; the system's roots when absent. */
  readonly ca?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
  readonly serverName?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;
