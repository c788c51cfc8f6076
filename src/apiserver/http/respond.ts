import type { ServerResponse } from 'node:http';
import { errorMessage, type Logger, parseJson, renderJson, renderYaml } from '../../base/index.ts';
import { isStatusError, type Status, statusError } from '../status.ts';
import { JournalError } from '../store/index.ts';
import { streamText, type TextEncoding } from './stream-text.ts';

interface Answer {
  readonly code: number;
  /** JSON text, or bytes with their own content type. */
  readonly body: string | Buffer;
  readonly yaml?: boolean;
  readonly contentType?: string;
  /** Of a text as JSON. */
  readonly encoding?: TextEncoding;
}

/** Warnings of a request, sent with any response to it. */
const pendingWarnings = new WeakMap<ServerResponse, readonly string[]>();

export function announceWarnings(response: ServerResponse, warnings: readonly string[]): void {
  pendingWarnings.set(response, warnings);
}

export function send(response: ServerResponse, { code, body, yaml, contentType, encoding = 'utf8' }: Answer): void {
  if (response.headersSent || response.destroyed) return;
  const text = yaml && typeof body === 'string' ? renderYaml(parseJson(body), { sortKeys: true }) : body;
  setHead(response, code, contentType ?? (yaml ? 'application/yaml' : 'application/json'));
  response.end(text, yaml ? 'utf8' : encoding);
}

/** Streams a JSON text as it is rendered, with backpressure. */
export async function sendParts(
  response: ServerResponse,
  parts: Iterable<string>,
  encoding: TextEncoding,
): Promise<void> {
  if (response.headersSent || response.destroyed) return;
  setHead(response, 200, 'application/json');
  try {
    await streamText(response, parts, encoding);
    response.end();
  } catch (thrown) {
    // Too late for an error response: closing the connection is the only way to signal an incomplete body.
    response.destroy();
    throw thrown;
  }
}

function setHead(response: ServerResponse, code: number, contentType: string): void {
  response.statusCode = code;
  response.setHeader('content-type', contentType);
  response.setHeader('cache-control', 'no-cache, private');
  const warnings = pendingWarnings.get(response) ?? [];
  if (warnings.length > 0) {
    response.setHeader(
      'warning',
      [...new Set(warnings)].map((text) => `299 - "${headerText(text)}"`),
    );
  }
}

/** A Warning header may contain only printable text. */
function headerText(text: string): string {
  return text
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/["\\]/g, '\\$&')
    .slice(0, 4096);
}

export function sendError(response: ServerResponse, thrown: unknown, log: Logger): void {
  const status = statusOf(thrown, log);
  const retry = status.details?.retryAfterSeconds;
  if (retry !== undefined && !response.headersSent) response.setHeader('retry-after', String(retry));
  send(response, { code: status.code, body: renderJson(status) });
}

function statusOf(thrown: unknown, log: Logger): Status {
  if (isStatusError(thrown)) return thrown.status;
  const message = errorMessage(thrown);
  if (!(thrown instanceof JournalError)) log.error('request failed', { err: thrown });
  return statusError(500, `Internal error occurred: ${message}`, { causes: [{ message }] }).status;
}
