import { type Clock, errorMessage, isJsonObject, type Logger, parseJson } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { badResponse, errorFromNetwork, errorFromStatus, isKubeError, type RequestLine } from './errors.ts';
import { metadataAccept, named } from './objects.ts';
import { collectionPath, watchQuery } from './paths.ts';
import type { StreamResponse, Transport } from './transport.ts';
import type { ResourceType, WatchEvent, WatchOptions } from './types.ts';
import { createStallGuard, LineTooLong, lines } from './watch-stream.ts';

interface WatchContext {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

// Servers with a watch cache send a bookmark about once a minute; two may be missed.
const defaultStallMs = 150_000;
// Between five and ten minutes, as in client-go: watches that started together must not end together.
const minTimeoutSeconds = 300;
// etcd refuses objects far smaller than this.
const maxEventBytes = 64 << 20;

/**
 * One connection's events. Ends when the server closes it or when it stalls; throws KubeError: `kube-gone` for 410,
 * `kube-unreachable` when the connection breaks, `kube-bad-response` for a line that is not an event. An event whose
 * object does not parse is logged and skipped.
 */
export async function* watchOnce<T extends KubeObject>(
  { transport, clock, log, random }: WatchContext,
  type: ResourceType,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>> {
  const path = collectionPath(type, options.namespace);
  const line: RequestLine = { method: 'WATCH', path };
  const timeoutSeconds = options.timeoutSeconds ?? Math.floor(minTimeoutSeconds * (1 + random()));
  const response: StreamResponse = await transport.stream({
    method: 'GET',
    path,
    query: watchQuery(options, options.resourceVersion, timeoutSeconds),
    accept: options.metadataOnly ? metadataAccept('PartialObjectMetadata') : 'application/json',
    signal: options.signal,
  });
  const stall = createStallGuard(options.stallMs ?? defaultStallMs, clock, response.abort);
  try {
    for await (const text of lines(stall.guard(response.body as AsyncIterable<Buffer>), maxEventBytes)) {
      yield eventOf<T>(text, type, line, log);
    }
  } catch (thrown) {
    options.signal?.throwIfAborted();
    if (stall.hasStalled) {
      log.info('watch stalled; closing it', { path, stallMs: options.stallMs ?? defaultStallMs });
      return;
    }
    throw thrown instanceof LineTooLong ? badResponse(line, thrown.message) : errorFromNetwork(thrown, line);
  } finally {
    response.abort();
  }
}

/**
 * Skips a line that does not parse: the server would send the same line again after every retry. Where its
 * resourceVersion can be found in the text, it becomes a bookmark, so that the watch resumes behind it.
 */
function eventOf<T extends KubeObject>(
  text: string,
  type: ResourceType,
  line: RequestLine,
  log: Logger,
): WatchEvent<T> {
  try {
    return parseEvent<T>(text, type, line);
  } catch (thrown) {
    if (!isKubeError(thrown, 'kube-bad-response')) throw thrown;
    const [name, namespace, version] = ['name', 'namespace', 'resourceVersion'].map((field) => textField(text, field));
    // Without a version the watch could not advance, and text that is not an event at all does not come from an API
    // server.
    if (version === undefined || !/^\{"type":"(?:ADDED|MODIFIED|DELETED)",/.test(text)) throw thrown;
    log.error('cannot parse a watch event; skipping it', {
      path: line.path,
      name,
      namespace,
      resourceVersion: version,
      error: errorMessage(thrown),
    });
    return { type: 'BOOKMARK', resourceVersion: version };
  }
}

/** The part after `"metadata":{` of a text that does not parse: good enough for a log line and to advance. */
function textField(text: string, field: string): string | undefined {
  const from = Math.max(0, text.indexOf('"metadata":{'));
  return new RegExp(`"${field}":"([\\w.:-]{1,253})"`).exec(text.slice(from))?.[1];
}

/** Parses one line of a watch; an ERROR event is thrown as the error of its Status. */
function parseEvent<T extends KubeObject>(text: string, type: ResourceType, line: RequestLine): WatchEvent<T> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    throw badResponse(line, `a line of ${text.length} characters is not a watch event`);
  }
  const object = isJsonObject(value) ? value['object'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(object)) throw badResponse(line, 'a line is not a watch event');
  switch (value['type']) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      if (!isJsonObject(object['metadata'])) throw badResponse(line, 'an event has no object with metadata');
      return { type: value['type'], object: named<T>(object, type) };
    case 'BOOKMARK': {
      const metadata = object['metadata'];
      const version = isJsonObject(metadata) ? metadata['resourceVersion'] : undefined;
      if (typeof version !== 'string') throw badResponse(line, 'a bookmark has no resourceVersion');
      return { type: 'BOOKMARK', resourceVersion: version };
    }
    case 'ERROR':
      throw errorFromStatus(object, line);
    default:
      throw badResponse(line, `an event has the unknown type ${JSON.stringify(value['type'])}`);
  }
}
