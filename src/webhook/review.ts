import { isJsonObject, type JsonObject, parseJson, renderJson, SupercargoError } from '../base/index.ts';
import type { GroupVersionKind, GroupVersionResource, JsonPatchOperation } from '../object/index.ts';

/** A request of an AdmissionReview (`admission.k8s.io/v1`), as the API server sent it. */
export interface AdmissionRequest {
  readonly uid: string;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subResource: string;
  /** As the client sent it; differs where the API server has converted it for a webhook that matches equivalent kinds. */
  readonly requestKind?: GroupVersionKind | undefined;
  readonly requestResource?: GroupVersionResource | undefined;
  readonly requestSubResource?: string | undefined;
  /** Not validated: CreateOptions, UpdateOptions or DeleteOptions. */
  readonly options?: JsonObject | undefined;
  readonly name: string;
  readonly namespace: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly userInfo: JsonObject;
  /** Not validated. */
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly dryRun: boolean;
}

/** The decision of a reviewer. Without `denied` the request is admitted. */
export interface AdmissionDecision {
  /** The message for the user. */
  readonly denied?: string | undefined;
  readonly warnings?: readonly string[] | undefined;
  readonly patch?: readonly JsonPatchOperation[] | undefined;
}

/** A review that cannot be processed; `status` is the HTTP status of the response. */
export class ReviewError extends SupercargoError {
  constructor(
    code: string,
    readonly status: number,
    message: string,
  ) {
    super(code, message);
  }
}

const apiVersion = 'admission.k8s.io/v1';
const operations: ReadonlySet<unknown> = new Set(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

export function parseReview(text: string): AdmissionRequest {
  let review: unknown;
  try {
    review = parseJson(text);
  } catch {
    // Drop the parser's message: it quotes the text, which may be a Secret.
    throw new ReviewError('review-not-json', 400, 'the body is not valid JSON');
  }
  if (!isJsonObject(review)) throw malformed('the body is not an object');
  if (review['kind'] !== 'AdmissionReview' || review['apiVersion'] !== apiVersion) {
    const got = `${excerpt(review['apiVersion'])} ${excerpt(review['kind'])}`;
    throw new ReviewError('review-version', 400, `expected ${apiVersion} AdmissionReview, got ${got}`);
  }
  const { request } = review;
  if (!isJsonObject(request)) throw malformed('request is missing');
  const { uid, kind, resource, operation, requestKind, requestResource } = request;
  if (typeof uid !== 'string' || uid === '') throw malformed('request.uid is missing');
  if (!operations.has(operation)) throw malformed(`request.operation ${excerpt(operation)} is unknown`);
  if (!isJsonObject(kind) || !isJsonObject(resource)) throw malformed('request.kind or request.resource is missing');
  return {
    uid,
    kind: kindOf(kind),
    resource: resourceOf(resource),
    subResource: textOf(request['subResource']),
    requestKind: isJsonObject(requestKind) ? kindOf(requestKind) : undefined,
    requestResource: isJsonObject(requestResource) ? resourceOf(requestResource) : undefined,
    requestSubResource: textOf(request['requestSubResource']),
    options: isJsonObject(request['options']) ? request['options'] : undefined,
    name: textOf(request['name']),
    namespace: textOf(request['namespace']),
    operation: operation as AdmissionRequest['operation'],
    userInfo: isJsonObject(request['userInfo']) ? request['userInfo'] : {},
    object: isJsonObject(request['object']) ? request['object'] : undefined,
    oldObject: isJsonObject(request['oldObject']) ? request['oldObject'] : undefined,
    dryRun: request['dryRun'] === true,
  };
}

/** Most responses only allow: that one is concatenated, without a serializer. */
export function renderReview(uid: string, { denied, warnings, patch }: AdmissionDecision): string {
  const start = `{"kind":"AdmissionReview","apiVersion":"${apiVersion}","response":{"uid":${JSON.stringify(uid)},"allowed":`;
  if (denied === undefined && !warnings?.length && !patch?.length) return `${start}true}}`;
  const rest = {
    ...(denied === undefined ? {} : { status: { status: 'Failure', message: denied } }),
    ...(warnings?.length ? { warnings: warnings.map(shortened) } : {}),
    ...(patch?.length && denied === undefined
      ? { patchType: 'JSONPatch', patch: Buffer.from(renderJson(patch)).toString('base64') }
      : {}),
  };
  return `${start}${denied === undefined},${JSON.stringify(rest).slice(1)}}`;
}

/** The API server truncates longer warnings, and drops warnings beyond 4,096 characters in total. */
const maxWarningChars = 255;
const shortened = (warning: string) =>
  warning.length <= maxWarningChars ? warning : `${warning.slice(0, maxWarningChars - 1)}…`;

const kindOf = ({ group, version, kind }: JsonObject): GroupVersionKind => ({
  group: textOf(group),
  version: textOf(version),
  kind: textOf(kind),
});
const resourceOf = ({ group, version, resource }: JsonObject): GroupVersionResource => ({
  group: textOf(group),
  version: textOf(version),
  resource: textOf(resource),
});
const malformed = (what: string) => new ReviewError('review-malformed', 400, what);
const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const excerpt = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : typeof value);
