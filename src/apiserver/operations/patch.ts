import { isJsonObject } from '../../base/index.ts';
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, type KubeObject } from '../../object/index.ts';
import { applyObject } from '../fields/index.ts';
import { type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { statusError } from '../status.ts';
import type { Entry } from '../store/index.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';
import { finishCreate } from './create.ts';
import { decode } from './decode.ts';
import { writeContextOf } from './ownership.ts';
import { type Next, updateObject } from './update.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

interface PatchRequest {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly type: PatchType;
  readonly body: unknown;
  readonly force: boolean;
  readonly call: Call;
  /** Called before an apply creates the object; rejects if the user may not. */
  readonly checkCreate: () => Promise<void>;
}

interface PatchResult {
  readonly entry: Entry;
  readonly created: boolean;
}

export async function patchObject(core: Core, request: PatchRequest): Promise<PatchResult> {
  const { definition, namespace, name, type } = request;
  if (type === 'apply') {
    checkApplied(request);
    const exists = core.store.collection(definition.storage).get(storageKey(namespace, name)) !== undefined;
    if (!exists && request.subresource === '') {
      await request.checkCreate();
      return { entry: await createByApply(core, request), created: true };
    }
  }
  const next =
    type === 'apply'
      ? (live: KubeObject) => applied(core, request, live)
      : (live: KubeObject) => ({ input: patched(request, live) });
  return { entry: await updateObject(core, { ...request, operation: 'patch', next }), created: false };
}

function patched({ definition, type, body }: PatchRequest, live: KubeObject): unknown {
  if (type === 'json' ? !Array.isArray(body) : !isJsonObject(body)) {
    throw statusError(400, `a ${type} patch must be ${type === 'json' ? 'a list of operations' : 'an object'}`);
  }
  try {
    if (type === 'json') return applyJsonPatch(live, body as readonly unknown[]);
    if (type === 'merge') return applyMergePatch(live, body);
    return applyStrategicMergePatch(live, body as Record<string, unknown>, definition.schema ?? {});
  } catch {
    // A well-formed patch that does not apply to the object is a 422, with upstream's short message.
    throw statusError(422, 'the server rejected our request due to an error in our request');
  }
}

function checkApplied({ definition, body, name, namespace }: PatchRequest): void {
  if (!isJsonObject(body)) throw statusError(400, 'an apply patch must be an object');
  if (!body['apiVersion'] || !body['kind'])
    throw statusError(400, `Object 'apiVersion' or 'kind' is missing in the applied object`);
  const metadata = isJsonObject(body['metadata']) ? body['metadata'] : {};
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) {
    throw statusError(400, 'metadata.managedFields must be nil');
  }
  const given = metadata['name'];
  if (given !== undefined && given !== name) {
    throw statusError(400, `the name of the object (${String(given)}) does not match the name on the URL (${name})`);
  }
  const inside = metadata['namespace'];
  if (definition.namespaced && inside !== undefined && inside !== '' && inside !== namespace) {
    throw statusError(
      400,
      `the namespace of the object (${String(inside)}) does not match the namespace on the URL (${namespace})`,
    );
  }
}

/** The applied object without defaults: the client does not own fields that it did not send. */
function configuration({ definition, body, name, namespace, call }: PatchRequest, core: Core): KubeObject {
  const sent = body as unknown as KubeObject;
  const named = { ...sent, metadata: { ...sent.metadata, name, ...(definition.namespaced ? { namespace } : {}) } };
  // Decoding reports wrong types and unknown fields; its defaults are dropped.
  decode(core, named, definition, call);
  return named;
}

function applied(core: Core, request: PatchRequest, live: KubeObject): Next {
  const { definition, call, force, subresource } = request;
  const result = applyObject({
    live,
    applied: configuration(request, core),
    manager: call.fieldManager,
    force,
    ...writeContextOf(definition, subresource),
    subresource,
    now: core.clock.now(),
  });
  return { input: result, owned: true };
}

async function createByApply(core: Core, request: PatchRequest): Promise<Entry> {
  const { definition, namespace, call } = request;
  const config = configuration(request, core);
  if (config.metadata.resourceVersion || config.metadata.uid) {
    throw statusError(
      409,
      `uid mismatch: the provided object specified uid ${config.metadata.uid ?? ''}, and no existing object was found`,
    );
  }
  const owned = applyObject({
    live: undefined,
    applied: config,
    manager: call.fieldManager,
    force: request.force,
    ...writeContextOf(definition, ''),
    now: core.clock.now(),
  });
  const decoded = decode(core, owned, definition, { fieldValidation: 'Ignore', warnings: [] });
  return finishCreate(core, definition, namespace, decoded, call);
}
