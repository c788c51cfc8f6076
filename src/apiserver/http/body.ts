import type { IncomingMessage } from 'node:http';
import { errorMessage, findDuplicateKeys, parseJson, parseYaml } from '../../base/index.ts';
import type { PatchType } from '../operations/patch.ts';
import { decodeProtobuf, protobufMediaType } from '../protobuf/index.ts';
import { statusError } from '../status.ts';
import { asGoReads } from './go-json.ts';

/** The limit of the real server: the largest object that etcd accepts, with room for its encoding. */
const maxBodyBytes = 3 * 1024 * 1024;

/** Reads the whole body, or fails with 413 as soon as it is too large. */
function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = () => reject(statusError(413, `Request entity too large: limit is ${maxBodyBytes}`));
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge();
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBodyBytes) chunks.push(chunk);
      else {
        // Read and drop the rest: the response is sent on the same connection.
        chunks = [];
        tooLarge();
      }
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}

const patchTypes: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

const mediaType = (request: IncomingMessage) =>
  (request.headers['content-type'] ?? 'application/json').split(';')[0]!.trim().toLowerCase();

interface ReadBody {
  readonly value: unknown;
  /** Paths of duplicate fields. */
  readonly duplicateFields: readonly string[];
}

/** Parses the object in a request body: JSON or YAML. */
export async function readObject(request: IncomingMessage): Promise<ReadBody> {
  const type = mediaType(request);
  if (type === protobufMediaType) return { value: parseProtobuf(await readBody(request)), duplicateFields: [] };
  if (type !== 'application/json' && type !== 'application/yaml') {
    throw statusError(
      415,
      `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml`,
    );
  }
  const text = (await readBody(request)).toString();
  if (text === '') return { value: undefined, duplicateFields: [] };
  return parse(text, type === 'application/yaml');
}

export async function readPatch(
  request: IncomingMessage,
  isCustom: boolean,
): Promise<ReadBody & { readonly type: PatchType }> {
  const type = patchTypes[mediaType(request)];
  if (!type || (type === 'strategic' && isCustom)) {
    if (!type) throw statusError(415, '415: Unsupported Media Type');
    const accepted = Object.keys(patchTypes).filter((name) => patchTypes[name] !== 'strategic');
    throw statusError(
      415,
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    );
  }
  return { type, ...parse((await readBody(request)).toString(), type === 'apply') };
}

function parseProtobuf(body: Buffer): unknown {
  try {
    return body.length === 0 ? undefined : decodeProtobuf(body);
  } catch (thrown) {
    throw statusError(400, `the body of the request cannot be read: ${errorMessage(thrown)}`);
  }
}

function parse(text: string, yaml: boolean): ReadBody {
  try {
    if (yaml && !/^\s*[{[]/.test(text)) return { value: parseYaml(text), duplicateFields: [] };
    const value = asGoReads(text, parseJson(text));
    return { value, duplicateFields: findDuplicateKeys(text, value) };
  } catch (thrown) {
    const message = errorMessage(thrown).replace(/^Unexpected/, 'unexpected');
    throw statusError(400, `the body of the request cannot be read: ${message}`);
  }
}
