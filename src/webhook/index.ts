/**
 * The HTTPS server that the API server asks about requests, its certificates, and the webhook configurations that tell
 * the API server to ask. Features bring reviewers (who answer at a path) and registrations (what is to be asked); what
 * a review means is theirs.
 *
 * Invariants: every request gets an answer, a count and, when it was not in order, a line in the log; no certificate
 * change drops a connection or serves what is not trusted yet; our own namespace and kube-system are never asked about;
 * a configuration or Secret that does not carry our label is never touched.
 */
export { CertificateError } from './certificate-secret.ts';
export type { CertificatePolicy } from './certificates.ts';
export type { ClientAuthentication } from './client-certificate.ts';
export { configurationName, configurationTypes, type WebhookAddress } from './configuration.ts';
export { createWebhookMetrics, type WebhookMetrics } from './metrics.ts';
export { RegistrationError } from './registrar.ts';
export { createRequestReader, type ReadRequest, type RequestReader } from './request-reader.ts';
export { type AdmissionDecision, type AdmissionRequest, ReviewError } from './review.ts';
export type { Registration, ReviewContext, Reviewer, WebhookEntry, WebhookRule } from './reviewer.ts';
export { createWebhookServer, type WebhookServer, type WebhookServerOptions } from './server.ts';
export { createWebhooks, type Webhooks, type WebhooksOptions } from './webhooks.ts';
