import { type KeyPair, SupercargoError } from '../base/index.ts';
import type { ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Certificates } from './certificates.ts';

export const secrets: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
};

export class CertificateError extends SupercargoError {}

type Data = Readonly<Record<string, string>>;

const encode = (text: string) => Buffer.from(text).toString('base64');

export function renderSecretData({ authorities, serving }: Certificates): Data {
  return {
    'tls.crt': encode(serving.certPem),
    'tls.key': encode(serving.keyPem),
    'ca.crt': encode(authorities.map(({ certPem }) => certPem).join('')),
    'ca.key': encode(authorities.map(({ keyPem }) => keyPem).join('')),
  };
}

/** Undefined when the Secret has no usable certificates: they are then created. */
export function parseSecretData(secret: KubeObject): Certificates | undefined {
  const serving = servingOf(secret);
  const certificates = blocks(textOf(secret, 'ca.crt'));
  const keys = blocks(textOf(secret, 'ca.key'));
  if (!serving || certificates.length === 0 || certificates.length !== keys.length) return undefined;
  return { serving, authorities: certificates.map((certPem, i) => ({ certPem, keyPem: keys[i]! })) };
}

/** Reads a Secret that another controller (cert-manager) manages. */
export function parseForeignSecret(secret: KubeObject): { readonly serving: KeyPair; readonly bundle: string } {
  const serving = servingOf(secret);
  if (!serving)
    throw new CertificateError(
      'webhook-secret',
      `secret ${secret.metadata.namespace}/${secret.metadata.name} has no tls.crt and tls.key`,
    );
  return { serving, bundle: textOf(secret, 'ca.crt') };
}

function servingOf(secret: KubeObject): KeyPair | undefined {
  const certPem = textOf(secret, 'tls.crt');
  const keyPem = textOf(secret, 'tls.key');
  return certPem === '' || keyPem === '' ? undefined : { certPem, keyPem };
}

function textOf(secret: KubeObject, key: string): string {
  const value = (secret['data'] as Data | undefined)?.[key];
  return typeof value === 'string' ? Buffer.from(value, 'base64').toString() : '';
}

function blocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN [A-Z ]+-----[^-]+-----END [A-Z ]+-----\n?/g) ?? [];
}
