import type { IncomingMessage } from 'node:http';
import type { BodyBudget } from './body-budget.ts';
import { ReviewError } from './review.ts';

interface BodyReader {
  onBody(body: string): void;
  onRefused(error: ReviewError): void;
}

/** Reads the body of a request; no callback is called when the client disconnects before the end. */
export function readBody(
  request: IncomingMessage,
  { maxBodyBytes, budget }: { readonly maxBodyBytes: number; readonly budget: BodyBudget },
  { onBody, onRefused }: BodyReader,
): void {
  let chunks: Buffer[] | undefined = [];
  let size = 0;
  const refuse = (error: ReviewError) => {
    if (!chunks) return;
    chunks = undefined;
    account.close();
    onRefused(error);
  };
  const account = budget.open(request.socket.remoteAddress ?? '', () => refuse(overloaded()));
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBodyBytes) refuse(tooLarge(maxBodyBytes));
    else if (chunks && account.take(chunk.length)) chunks?.push(chunk);
  });
  request.on('close', () => account.close());
  request.on('end', () => {
    account.close();
    // Most reviews arrive in one chunk: avoid the copy.
    if (chunks) onBody(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks, size).toString());
  });
  request.on('error', () => {
    chunks = undefined;
  });
}

const overloaded = () => new ReviewError('review-overload', 503, 'too many bytes are being read; retry the review');

export const tooLarge = (maxBytes: number) =>
  new ReviewError('review-too-large', 413, `the review is larger than ${maxBytes} bytes`);
