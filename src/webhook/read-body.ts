import type { IncomingMessage } from 'node:http';
import type { BodyBudget } from './body-budget.ts';
import { ReviewError } from './review.ts';

interface BodyReader {
  onBody(body: string): void;
  onRefused(error: ReviewError): void;
}

interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly budget: BodyBudget;
}

/**
 * Reads the body of a request; no callback is called when the client disconnects before the end. Most reviews arrive with
 * one or two chunks, and a body of the declared length is complete: it is neither copied nor accounted without need.
 */
export function readBody(request: IncomingMessage, limits: BodyLimits, reader: BodyReader): void {
  const declared = Number(request.headers['content-length']);
  let partial: PartialBody | undefined;
  const collect = (): PartialBody => {
    if (partial) return partial;
    const made = new PartialBody(request.socket.remoteAddress ?? '', limits, reader);
    request.on('end', () => made.end());
    request.on('close', () => made.close());
    partial = made;
    return made;
  };
  request.on('data', (chunk: Buffer) => {
    if (!partial && chunk.length === declared && declared <= limits.maxBodyBytes) reader.onBody(chunk.toString());
    else collect().add(chunk);
  });
  if (!(declared > 0)) collect();
}

/** A body of which more is to come. */
class PartialBody {
  private chunks: Buffer[] | undefined = [];
  private size = 0;
  private readonly account: ReturnType<BodyBudget['open']>;

  constructor(
    peer: string,
    private readonly limits: BodyLimits,
    private readonly reader: BodyReader,
  ) {
    this.account = limits.budget.open(peer, () => this.refuse(overloaded()));
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.size > this.limits.maxBodyBytes) this.refuse(tooLarge(this.limits.maxBodyBytes));
    else if (this.chunks && this.account.take(chunk.length)) this.chunks?.push(chunk);
  }

  end(): void {
    const { chunks } = this;
    this.close();
    if (chunks) this.reader.onBody(Buffer.concat(chunks, this.size).toString());
  }

  /** Also when the client disconnects. */
  close(): void {
    this.chunks = undefined;
    this.account.close();
  }

  private refuse(error: ReviewError): void {
    if (!this.chunks) return;
    this.close();
    this.reader.onRefused(error);
  }
}

const overloaded = () => new ReviewError('review-overload', 503, 'too many bytes are being read; retry the review');

export const tooLarge = (maxBytes: number) =>
  new ReviewError('review-too-large', 413, `the review is larger than ${maxBytes} bytes`);
