/**
 * The HTTPS server of the admission webhooks, its certificates, and the webhook configurations. Features provide
 * reviewers (handlers of a path) and registrations (webhook entries); how to decide about a review is up to them.
 *
 * Invariants: every request gets a response and is counted, and a rejected or failed one is logged; a certificate change
 * never drops a connection and never serves a certificate that is not trusted yet; our own namespace and kube-system are
 * never reviewed; a configuration or Secret without our label is never changed.
 */
export type { ClientAuthentication } from './client-certificate.ts';
export { configurationName, configurationTypes, installedInAnnotation } from './configuration.ts';
export { createWebhookMetrics } from './metrics.ts';
export { probe, probeRegistration } from './probe.ts';
export { createRequestReader } from './request-reader.ts';
export type { AdmissionDecision, AdmissionRequest } from './review.ts';
export type { Registration, ReviewContext, Reviewer, WebhookEntry, WebhookRule } from './reviewer.ts';
export { createWebhookServer } from './server.ts';
export { createWebhooks, type Webhooks, type WebhooksOptions } from './webhooks.ts';
