import type { IncomingMessage } from 'node:http';
import { ReviewError } from './review.ts';

export interface BodyReader {
  onBody(body: string): void;
  onRefused(error: ReviewError): void;
}

/** Reads all of a request; tells nobody when the client goes away before it has said all. */
export function readBody(request: IncomingMessage, maxBytes: number, { onBody, onRefused }: BodyReader): void {
  let chunks: Buffer[] | undefined = [];
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxBytes) chunks?.push(chunk);
    else if (chunks) {
      chunks = undefined;
      onRefused(tooLarge(maxBytes));
    }
  });
  request.on('end', () => {
    // Most reviews come in one piece.
    if (chunks) onBody(chunks.length === 1 ? chunks[0]!.toString() : Buffer.concat(chunks, size).toString());
  });
  request.on('error', () => {
    chunks = undefined;
  });
}

export const tooLarge = (maxBytes: number) =>
  new ReviewError('review-too-large', 413, `the review is larger than ${maxBytes} bytes`);
