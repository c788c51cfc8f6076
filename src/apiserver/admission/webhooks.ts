import { errorMessage } from '../../base/index.ts';
import {
  applyJsonPatch,
  deepEqual,
  type GroupVersionKind,
  type GroupVersionResource,
  type KubeObject,
} from '../../object/index.ts';
import { matchConditions } from '../expressions/index.ts';
import { forbidden } from '../operations/errors.ts';
import { StatusError, statusError } from '../status.ts';
import type { Attributes } from './attributes.ts';
import { bindingsOf, type VersionedRequest } from './bindings.ts';
import { WebhookCallError, WebhookCaller, type WebhookResponse } from './webhook-call.ts';
import type { Webhook } from './webhook-config.ts';
import { type MatchEnvironment, matchWebhook } from './webhook-match.ts';

interface WebhookEnvironment extends MatchEnvironment {
  /** In call order; the same list until a configuration changes. */
  readonly mutating: () => readonly Webhook[];
  readonly validating: () => readonly Webhook[];
  readonly kindOf: (resource: GroupVersionResource, subresource: string) => GroupVersionKind;
  readonly convert: (object: KubeObject, resource: GroupVersionResource) => KubeObject;
  /** Applies defaults and validation again after a webhook changed the object. */
  readonly redecode: (object: KubeObject) => KubeObject;
}

/** Calls the admission webhooks of the cluster, in the order and with the failure rules of Kubernetes. */
export class Webhooks {
  private readonly caller = new WebhookCaller();

  constructor(private readonly environment: WebhookEnvironment) {}

  /**
   * Runs the mutating webhooks in sequence and returns the resulting object. `again` is what comes before them when
   * everything that wants it is run a second time.
   */
  async mutate(
    attributes: Attributes,
    again: (attributes: Attributes) => Attributes = (same) => same,
  ): Promise<KubeObject | undefined> {
    const webhooks = isExempt(attributes) ? [] : this.environment.mutating();
    let current = attributes;
    // Webhooks that ran, with the object after each run: IfNeeded runs again when the object has changed since.
    const left = new Map<Webhook, KubeObject | undefined>();
    for (const webhook of webhooks) {
      const next = await this.mutateWith(webhook, current);
      if (next === undefined) continue;
      current = next;
      left.set(webhook, current.object);
    }
    current = again(current);
    for (const [webhook, object] of left) {
      if (webhook.reinvocationPolicy !== 'IfNeeded' || object === current.object) continue;
      current = (await this.mutateWith(webhook, current)) ?? current;
    }
    return current.object;
  }

  /** Calls the validating webhooks in parallel. The first denial in configuration order is returned. */
  async validate(attributes: Attributes): Promise<void> {
    if (isExempt(attributes)) return;
    // All are matched before any is called: a condition that fails refuses the request without a call.
    const matched = this.environment.validating().flatMap((webhook) => this.match(webhook, attributes) ?? []);
    if (matched.length === 0) return;
    const calls = matched.map((invocation) => this.call(invocation));
    for (const result of await Promise.allSettled(calls)) if (result.status === 'rejected') throw result.reason;
  }

  close(): Promise<void> {
    return this.caller.close();
  }

  private async mutateWith(webhook: Webhook, attributes: Attributes): Promise<Attributes | undefined> {
    const invocation = this.match(webhook, attributes);
    const response = invocation && (await this.call(invocation));
    if (!response) return undefined;
    const sent = invocation.request.object;
    if (!response.patch || !sent) return attributes;
    const patched = applyPatch(webhook, sent, response.patch);
    if (deepEqual(patched, sent)) return attributes;
    const converted = this.environment.convert(patched, attributes.resource);
    return { ...attributes, object: this.environment.redecode(converted) };
  }

  /** Undefined when the webhook does not match; throws when its conditions cannot be evaluated. */
  private match(webhook: Webhook, attributes: Attributes): Invocation | undefined {
    const { environment } = this;
    const resource = matchWebhook(webhook, attributes, environment);
    if (!resource) return undefined;
    const inVersion = (object: KubeObject | undefined) => object && environment.convert(object, resource);
    const request = {
      attributes,
      resource,
      kind: environment.kindOf(resource, attributes.subresource),
      object: inVersion(attributes.object),
      oldObject: inVersion(attributes.oldObject),
    };
    if (webhook.conditions.length > 0) {
      const result = matchConditions(webhook.conditions, webhook.failurePolicy, bindingsOf(request));
      if ('error' in result) throw forbidden(attributes.resource, attributes.name, result.error);
      if (!result.matches) return undefined;
    }
    return { webhook, request };
  }

  /** Undefined when the webhook fails and that is ignored; throws when it denies the request. */
  private async call({ webhook, request }: Invocation): Promise<WebhookResponse | undefined> {
    const { call } = request.attributes;
    let response: WebhookResponse;
    try {
      response = await this.caller.call(webhook, request, call.signal);
    } catch (thrown) {
      if (thrown instanceof WebhookCallError && webhook.failurePolicy === 'Ignore') return undefined;
      throw callFailed(webhook, thrown);
    }
    call.warnings.push(...response.warnings);
    if (!response.allowed) throw denied(webhook, response);
    return response;
  }
}

interface Invocation {
  readonly webhook: Webhook;
  readonly request: VersionedRequest;
}

/** Webhooks never see webhook configurations: a broken one could otherwise never be removed. */
function isExempt({ resource }: Attributes): boolean {
  return resource.group === 'admissionregistration.k8s.io';
}

function applyPatch(webhook: Webhook, object: KubeObject, patch: readonly unknown[]): KubeObject {
  try {
    return applyJsonPatch(object, patch) as KubeObject;
  } catch (thrown) {
    throw callFailed(webhook, thrown);
  }
}

function callFailed(webhook: Webhook, thrown: unknown): StatusError {
  const message = `failed calling webhook "${webhook.name}": ${errorMessage(thrown)}`;
  return statusError(500, `Internal error occurred: ${message}`, { causes: [{ message }] });
}

function denied({ name }: Webhook, { status = {} }: WebhookResponse): StatusError {
  const why = status.message || status.reason;
  const message = `admission webhook "${name}" denied the request${why ? `: ${why}` : ' without explanation'}`;
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(status.reason ? { reason: status.reason } : {}),
    // A denial is never a success, whatever code the webhook sent.
    code: status.code !== undefined && status.code >= 400 ? status.code : 400,
  });
}
