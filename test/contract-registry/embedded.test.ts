import { staticSource } from '../../src/registry/index.ts';
import { startRegistryServer } from '../../src/registryserver/index.ts';
import { createCertificate } from '../support/certificate.ts';
import { defineRegistryContract } from './contract.ts';

const few = { manyRepositories: 60, manyTags: 300 };

defineRegistryContract({ ...few, name: 'the embedded registry', start: () => startRegistryServer() });

defineRegistryContract({
  ...few,
  name: 'the embedded registry with TLS and a password',
  async start() {
    const { key, cert, caPem } = createCertificate();
    const certificate = { keyPem: key, certPem: cert };
    const server = await startRegistryServer({ users: { alice: 'wonderland-9321' }, certificate });
    const credentials = staticSource(server.host, 'alice', 'wonderland-9321', 'the test');
    return { host: server.host, ca: caPem, credentials, stop: () => server.stop() };
  },
});
