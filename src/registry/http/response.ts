import { isJsonObject, parseJson } from '../../base/index.ts';
import { badResponse, errorFromNetwork, type RequestLine } from '../errors.ts';

/** Can be read once. A piece is valid until the next one is requested. */
export interface ResponseBody extends AsyncIterable<Buffer> {
  dump(): Promise<void>;
}

export interface RegistryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: ResponseBody;
  /** The URL of the response, after redirects. */
  readonly url: URL;
  readonly line: RequestLine;
}

export async function readText(response: RegistryResponse, maxBytes: number): Promise<string> {
  return (await readBytes(response, maxBytes)).toString('utf8');
}

export async function readBytes({ body, line, status }: RegistryResponse, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      size += piece.length;
      if (size > maxBytes) throw badResponse(line, `the response is larger than ${maxBytes} bytes`, status);
      // The piece's buffer is reused for the next one.
      pieces.push(Buffer.from(piece));
    }
  } catch (thrown) {
    throw errorFromNetwork(thrown, line);
  }
  return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
}

export function flatten(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

/** The first error in the format of the specification. Anything else, such as a proxy's error page, is not quoted. */
export function firstError(text: string): {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
} {
  let body: unknown;
  try {
    body = parseJson(text);
  } catch {
    return {};
  }
  const first = isJsonObject(body) && Array.isArray(body['errors']) ? body['errors'][0] : undefined;
  if (!isJsonObject(first)) return {};
  const cut = (value: unknown) =>
    typeof value === 'string' && value !== '' ? value.replace(/\s+/g, ' ').slice(0, 300) : undefined;
  return { code: cut(first['code']), message: cut(first['message']) };
}
