import type { IncomingMessage } from 'node:http';
import { isLoopbackOrigin } from '../../base/index.ts';
import { OciError } from './errors.ts';

/**
 * Throws unless the request was meant for this machine. A web page whose name resolves to 127.0.0.1 (DNS rebinding)
 * sends its own name as Host; a cross-origin request sends its own as Origin.
 */
export function checkHost({ headers }: Pick<IncomingMessage, 'headers'>, names: readonly string[] = []): void {
  if (!names.includes(headers.host ?? '') && !isLoopbackOrigin(`http://${headers.host ?? ''}`))
    throw new OciError('DENIED', 'the Host header does not name this machine; use 127.0.0.1 or localhost');
  if (headers.origin !== undefined && !isLoopbackOrigin(headers.origin))
    throw new OciError('DENIED', 'requests of web pages of other origins are refused');
}
