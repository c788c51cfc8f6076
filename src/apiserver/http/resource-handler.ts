import type { IncomingMessage, ServerResponse } from 'node:http';
import { renderJson } from '../../base/index.ts';
import { strategyOf } from '../kinds/strategies.ts';
import type { Call, UserInfo } from '../operations/context.ts';
import type { Core } from '../operations/core.ts';
import { createObject } from '../operations/create.ts';
import { deleteObject } from '../operations/delete.ts';
import { notFound } from '../operations/errors.ts';
import { type ListRequest, listEntries } from '../operations/list.ts';
import { patchObject } from '../operations/patch.ts';
import { updateObject } from '../operations/update.ts';
import { hasSubresource, type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { statusError } from '../status.ts';
import type { Entry } from '../store/index.ts';
import { type Authorize, accessOf, checkAccess } from './access.ts';
import { readObject, readPatch } from './body.ts';
import { callOf, deleteOptionsOf } from './options.ts';
import {
  encodingOf,
  type Negotiated,
  negotiate,
  renderListParts,
  renderOne,
  type TableRequest,
} from './representation.ts';
import type { RequestInfo } from './request-info.ts';
import { send, sendParts } from './respond.ts';
import type { SpecialHandler } from './special-handlers.ts';
import { Watches } from './watch-stream.ts';

/** Lists of at least this many items are streamed while they are rendered, so that they are never whole in memory. */
const streamedItems = 500;

/** One request for a resource, for the handlers. */
export interface ResourceRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly info: RequestInfo;
  readonly query: URLSearchParams;
  readonly definition: ResourceDefinition;
  readonly user: UserInfo;
  /** Sent to the client with any response. */
  readonly warnings: string[];
}

/** Handles reads and writes of objects. `special` handles what is not an object of its own (logs, scale, reviews …). */
export class ResourceHandler {
  private readonly watches: Watches;

  constructor(
    private readonly core: Core,
    private readonly special: SpecialHandler,
    private readonly authorize: Authorize,
  ) {
    this.watches = new Watches(core.store);
  }

  async handle(context: ResourceRequest): Promise<void> {
    const { info, request } = context;
    if (await this.special(context)) return undefined;
    const { subresource } = info;
    if (subresource !== '' && !hasSubresource(context.definition, subresource)) throw unknownPath();
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return this.read(context);
      case 'POST':
        return this.create(context);
      case 'PUT':
        return this.update(context);
      case 'PATCH':
        return this.patch(context);
      case 'DELETE':
        return this.delete(context);
      default:
        throw methodNotAllowed();
    }
  }

  private async read(context: ResourceRequest): Promise<void> {
    const { info, query, response, definition, request } = context;
    const negotiated = negotiate(request.headers.accept);
    const isWatch = info.watchPrefix || (info.name === '' && ['true', '1'].includes(query.get('watch') ?? ''));
    if (isWatch) return this.watch(context, negotiated);
    const table = this.tableRequest(query);
    const { representation, yaml } = negotiated;
    if (info.name !== '') {
      const entry = this.core.store.collection(definition.storage).get(storageKey(info.namespace, info.name));
      if (!entry) throw notFound(definition, info.name);
      send(response, { code: 200, body: renderOne(entry, definition, representation, table), yaml });
      return;
    }
    numberOf(query, 'timeoutSeconds');
    const list = listEntries(this.core.store, definition, listRequest(info, query));
    const parts = renderListParts(list, definition, representation, table);
    if (yaml || list.entries.length < streamedItems) send(response, { code: 200, body: [...parts].join(''), yaml });
    else await sendParts(response, parts, encodingOf(list.entries, definition, representation));
  }

  private async watch(
    { info, query, response, definition }: ResourceRequest,
    { representation }: Negotiated,
  ): Promise<void> {
    const initial = query.get('sendInitialEvents');
    const one = info.name === '' ? '' : `metadata.name=${info.name}`;
    await this.watches.serve(
      definition,
      {
        namespace: info.namespace,
        labelSelector: query.get('labelSelector') ?? '',
        fieldSelector: [query.get('fieldSelector') ?? '', one].filter((text) => text !== '').join(','),
        resourceVersion: query.get('resourceVersion') ?? '',
        resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
        bookmarks: query.get('allowWatchBookmarks') === 'true',
        sendInitialEvents: initial === null ? undefined : initial === 'true',
        timeoutMs: (numberOf(query, 'timeoutSeconds') || 1800 + Math.random() * 1800) * 1000,
        representation,
        table: this.tableRequest(query),
      },
      response,
    );
  }

  private async create(context: ResourceRequest): Promise<void> {
    const { info, definition, request } = context;
    if (info.name !== '') throw methodNotAllowed();
    const { value, duplicateFields } = await readObject(request);
    const call = this.call(context, { duplicateFields });
    const entry = await createObject(this.core, definition, info.namespace, value, call);
    this.sendObject(context, entry, 201);
  }

  private async update(context: ResourceRequest): Promise<void> {
    const { info, definition, request } = context;
    const { value: input, duplicateFields } = await readObject(request);
    const call = this.call(context, { duplicateFields });
    const entry = await updateObject(this.core, {
      definition,
      namespace: info.namespace,
      name: info.name,
      subresource: info.subresource,
      operation: 'update',
      call,
      next: () => ({ input }),
    });
    this.sendObject(context, entry, 200);
  }

  private async patch(context: ResourceRequest): Promise<void> {
    const { info, definition, request, query } = context;
    const { type, value: body, duplicateFields } = await readPatch(request, definition.custom);
    const call = this.call(context, { duplicateFields, isApply: type === 'apply' });
    const force = query.get('force') === 'true';
    if (force && type !== 'apply')
      throw statusError(
        400,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
      );
    const { entry, created } = await patchObject(this.core, {
      definition,
      namespace: info.namespace,
      name: info.name,
      subresource: info.subresource,
      type,
      body,
      force,
      call,
      checkCreate: () => this.checkCreate(context),
    });
    this.sendObject(context, entry, created ? 201 : 200);
  }

  /** Who creates by a patch needs the right to create, too; as opposed to other creations, it has a name. */
  private checkCreate({ info, query, user, request }: ResourceRequest): Promise<void> {
    const path = request.url ?? '';
    return checkAccess({ ...accessOf({ method: 'PATCH', path, info, query, user }), verb: 'create' }, this.authorize);
  }

  private async delete(context: ResourceRequest): Promise<void> {
    const { info, definition, request, query, response } = context;
    const { dryRun, ...options } = deleteOptionsOf((await readObject(request)).value, query);
    const call = { ...this.call(context), dryRun };
    if (info.name === '') return this.deleteCollection(context, options, call);
    const { entry, gone } = await deleteObject(this.core, {
      definition,
      namespace: info.namespace,
      name: info.name,
      options,
      call,
    });
    if (!gone || strategyOf(definition).returnsDeleted) return this.sendObject(context, entry, 200);
    const { group, resource } = definition;
    const { name, uid } = entry.metadata;
    const details = { name, ...(group === '' ? {} : { group }), kind: resource, uid };
    const body = renderJson({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
    send(response, { code: 200, body });
  }

  private async deleteCollection(
    { info, definition, query, response }: ResourceRequest,
    options: object,
    call: Call,
  ): Promise<void> {
    const list = listEntries(this.core.store, definition, listRequest(info, query));
    for (const { metadata } of list.entries) {
      const namespace = metadata.namespace ?? '';
      try {
        await deleteObject(this.core, { definition, namespace, name: metadata.name!, options, call });
      } catch (thrown) {
        // A concurrent deletion of one of them has the same effect.
        if ((thrown as { status?: { code?: number } }).status?.code !== 404) throw thrown;
      }
    }
    send(response, {
      code: 200,
      body: [...renderListParts(list, definition, 'object', this.tableRequest(query))].join(''),
    });
  }

  private sendObject({ request, response, definition, query }: ResourceRequest, entry: Entry, code: number): void {
    const { representation, yaml } = negotiate(request.headers.accept);
    const body = renderOne(entry, definition, representation, this.tableRequest(query));
    send(response, { code, body, yaml, encoding: encodingOf([entry], definition, representation) });
  }

  private call(context: ResourceRequest, { isApply = false, duplicateFields = [] as readonly string[] } = {}): Call {
    const { response } = context;
    let signal: AbortSignal | undefined;
    return {
      ...callOf(context, isApply),
      duplicateFields,
      // Created on demand: only webhooks use it.
      get signal() {
        return (signal ??= goneSignal(response));
      },
    };
  }

  private tableRequest(query: URLSearchParams): TableRequest {
    const includeObject = query.get('includeObject') ?? 'Metadata';
    if (includeObject !== 'Metadata' && includeObject !== 'Object' && includeObject !== 'None') {
      throw statusError(400, `unrecognized includeObject value: ${JSON.stringify(includeObject)}`);
    }
    return { now: this.core.clock.now(), includeObject };
  }
}

/** Aborted when the client disconnects before the response is complete. */
function goneSignal(response: ServerResponse): AbortSignal {
  if (response.destroyed) return AbortSignal.abort();
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  return gone.signal;
}

function numberOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '0';
  if (!/^-?\d+$/.test(text))
    throw statusError(
      400,
      `strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax in query parameter ${name}`,
    );
  return Number(text);
}

function listRequest(info: RequestInfo, query: URLSearchParams): ListRequest {
  return {
    namespace: info.namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: numberOf(query, 'limit'),
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
  };
}

export const unknownPath = () => statusError(404, 'the server could not find the requested resource', {});

export const methodNotAllowed = () =>
  statusError(405, 'the server does not allow this method on the requested resource', {});
