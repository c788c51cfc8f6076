import { describe, expect, it } from 'vitest';
import { endpointAgents } from './ecr-endpoint.ts';
import { ecrSource } from './ecr-source.ts';

const open = (endpoint: string, more: Partial<Parameters<typeof endpointAgents>[0]> = {}) =>
  endpointAgents({ endpoint, hasOwnKeys: true, addresses: {}, ...more });

describe('an address of ECR’s API that a policy names', () => {
  it.each([
    'http://169.254.169.254/',
    'http://0xA9FEA9FE/',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://127.0.0.1:8080/',
    'https://192.0.0.192/',
    'https://[fd20:ce::254]/',
  ])('may not be %s', (endpoint) => {
    expect(() => open(endpoint)).toThrow('may not be connected to');
  });

  it.each(['ftp://ecr.example', 'file:///etc/passwd', 'ecr.example', 'https://user:pass@ecr.example'])(
    'may not be written as %s',
    (endpoint) => {
      expect(() => open(endpoint)).toThrow('spec.ecrRepository.endpoint');
    },
  );

  it.each([
    'https://evil.example',
    'https://bucket.s3.amazonaws.com',
    'https://lb-1.us-east-1.elb.amazonaws.com',
    'https://api.ecr.us-east-1.amazonaws.com.evil.example',
    'https://api.ecr.us-east-1.amazonaws.com:8443',
    'http://api.ecr.us-east-1.amazonaws.com',
  ])('never gets our own identity at %s', (endpoint) => {
    expect(() => open(endpoint, { hasOwnKeys: false })).toThrow('our own AWS identity is not used there');
    expect(() => open(endpoint)).not.toThrow();
  });

  it.each([
    'https://api.ecr.eu-central-1.amazonaws.com',
    'https://vpce-0a1b-2c3d.api.ecr.us-east-1.vpce.amazonaws.com',
    'https://ecr.eu-west-1.api.aws',
  ])('gets it at %s', (endpoint) => {
    expect(() => open(endpoint, { hasOwnKeys: false })).not.toThrow();
  });

  it('may be any that the administrator names, with its port', () => {
    const addresses = { isConfiguredHost: (host: string) => host === '127.0.0.1:5000' };
    expect(() => open('http://127.0.0.1:5000', { hasOwnKeys: false, addresses })).not.toThrow();
    expect(() => open('http://127.0.0.1:5001', { addresses })).toThrow('may not be connected to');
  });

  it('is checked again when a connection is made, whatever the name resolves to', async () => {
    const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
    const source = ecrSource({ region: 'eu-central-1', endpoint: 'http://localhost:1', keys, addresses: {} });
    const { signal } = new AbortController();
    await expect(source.tags({ path: 'app', registry: '' }, signal)).rejects.toThrow('may not be connected to');
    await source.close();
  });
});
