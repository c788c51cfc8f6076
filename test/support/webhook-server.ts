import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from './certificate.ts';
import type { Body } from './http-client.ts';

export interface AdmissionRequest {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly object: Body | null;
  readonly oldObject: Body | null;
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly dryRun?: boolean;
  readonly userInfo: { readonly username: string; readonly groups: readonly string[] };
  readonly [field: string]: unknown;
}

/** What the hook says: fields of an AdmissionReview's response, or a raw text to answer in its place. */
export type HookAnswer = Readonly<Record<string, unknown>> | { readonly raw: string; readonly status?: number };

export interface WebhookServer {
  readonly url: string;
  readonly caBundle: string;
  /** The query of each review's URL, in the order of arrival. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** An HTTPS server that answers AdmissionReviews with what `answer` says. */
export async function startWebhookServer(
  answer: (request: AdmissionRequest, path: string) => HookAnswer | Promise<HookAnswer>,
): Promise<WebhookServer> {
  const { key, cert, caPem } = createCertificate();
  const urls: string[] = [];
  const server = createServer({ key, cert }, async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { request: AdmissionRequest };
    urls.push(incoming.url ?? '');
    const said = await answer(review.request, (incoming.url ?? '').split('?')[0] ?? '');
    if ('raw' in said) {
      outgoing.writeHead(Number(said['status'] ?? 200), { 'content-type': 'application/json' }).end(said.raw);
      return;
    }
    const response = { uid: review.request.uid, allowed: true, ...said };
    outgoing.setHeader('content-type', 'application/json');
    outgoing.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    caBundle: Buffer.from(caPem).toString('base64'),
    urls,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The response fields of a mutation by JSON Patch. */
export const jsonPatch = (operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
