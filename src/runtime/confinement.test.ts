import { describe, expect, it } from 'vitest';
import type { LookUp } from '../policy/index.ts';
import { lookUpRefusal, resourceRefusal, strictLookUpRules } from './confinement.ts';

const own = { policyNamespace: 'shop' };
const refusal = (lookUp: LookUp, rules = strictLookUpRules) => lookUpRefusal(lookUp, rules);
const get = (urlPath: string): LookUp => ({ kind: 'apiCall', method: 'GET', urlPath, ...own });
const post = (urlPath: string): LookUp => ({ kind: 'apiCall', method: 'POST', urlPath, data: {} });

describe('a library of CEL', () => {
  it('is confined as context entries are', () => {
    const library = { asLibrary: true } as const;
    const secret = '/api/v1/namespaces/shop/secrets/x';
    expect(refusal({ ...get(secret), ...library } as LookUp)).toContain('may not look up secrets');
    expect(refusal({ ...get('/api/v1/namespaces/bank/configmaps/x'), ...library } as LookUp)).toContain(
      'of its namespace',
    );
    expect(refusal({ ...post('/api/v1/namespaces/shop/pods'), ...library } as LookUp)).toContain('may not POST');
    expect(refusal({ ...post('/api/v1/namespaces/shop/pods'), ...library, ...own } as LookUp)).toContain('may POST');
    const call: LookUp = { kind: 'serviceCall', method: 'GET', url: 'https://x', headers: {}, ...library, ...own };
    expect(refusal(call)).toContain('may not call services');
    const dry: LookUp = {
      kind: 'serviceCall',
      method: 'POST',
      url: 'https://x',
      headers: {},
      ...library,
      dryRun: true,
    };
    expect(refusal(dry)).toContain('dry run');
  });
});

describe('an API call of a namespaced policy', () => {
  it.each([
    '/api/v1/namespaces/shop',
    '/api/v1/namespaces/shop/pods',
    '/api/v1/namespaces/shop/configmaps/settings',
    '/apis/apps/v1/namespaces/shop/deployments?labelSelector=app%3Dweb&limit=5',
  ])('may read %s', (path) => expect(refusal(get(path))).toBeUndefined());

  it.each([
    '/api/v1/namespaces',
    '/api/v1/nodes',
    '/api/v1/pods',
    '/version',
    '/api/v1/namespaces/kube-system/configmaps/x',
    '/api/v1/namespaces/shop/secrets',
    '/api/v1/namespaces/shop/secrets/x',
    '/api/v1/namespaces/shop/../kube-system/secrets/x',
    '/api/v1/namespaces/shop/%2e%2e/kube-system/secrets',
    '/api/v1/namespaces/shop%2f..%2fkube-system/secrets',
    '/api/v1/namespaces/%73hop/pods',
    '/api/v1/namespaces/shop/%73ecrets',
    '/api/v1/namespaces/shop//secrets/x',
    '/api/v1//namespaces/shop/pods',
    '//host/api/v1/namespaces/shop/pods',
    '/api/v1/namespaces/shop/services/http:db:80/proxy/admin',
    '/api/v1/namespaces/shop/pods/x/log',
    '/api/v1/namespaces/shop/%252e%252e/kube-system/secrets',
    '/api/v1/namespaces/shop%252fsecrets',
    '/api/v1/namespaces/shop/pods/../secrets',
    '/api/v1/namespaces/shop/./secrets',
    '/api/v1/namespaces/shop/secrets?fieldSelector=metadata.name%3Dx',
    '/api/v1/configmaps?fieldSelector=metadata.namespace%3Dshop',
    '/api/v1/pods?namespace=shop',
    '/api/v1/namespaces/shop?watch=true',
    '/api/v1/namespaces/shop/pods/',
    '/apis/apps/v1/watch/namespaces/shop/deployments',
    '/apis/v1/namespaces/shop/secrets',
    '/api/v1/namespaces/shop/pods?watch=true',
    '/api/v1/namespaces/shop/pods?limit=1&%77atch=1',
    '/api/v1/namespaces/shop/serviceaccounts/x/token',
    '/api/v1/watch/namespaces/shop/pods',
    '/api/v1/namespaces/shop\\..\\kube-system',
    '/api/v1/namespaces/shop/pods#x',
    '/api/v1/namespaces/shop/pods\u0000',
    '/api/v1/namespaces/shop/%',
    'api/v1/namespaces/shop/pods',
    '',
  ])('may not read %j', (path) => expect(refusal(get(path))).toBeTypeOf('string'));

  it('may POST a LocalSubjectAccessReview of its namespace and nothing else', () => {
    const local = (namespace: string) =>
      `/apis/authorization.k8s.io/v1/namespaces/${namespace}/localsubjectaccessreviews`;
    expect(refusal({ ...post(local('shop')), ...own })).toBeUndefined();
    for (const path of [
      local('kube-system'),
      `${local('shop')}?dryRun=All`,
      '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      '/apis/batch/v1/namespaces/shop/jobs',
    ])
      expect(refusal({ ...post(path), ...own }, { ...strictLookUpRules, postPaths: ['*'] })).toBeTypeOf('string');
  });
});

describe('other look-ups of a namespaced policy', () => {
  it('stay in the namespace', () => {
    expect(refusal({ kind: 'configMap', namespace: 'shop', name: 'x', ...own })).toBeUndefined();
    expect(refusal({ kind: 'configMap', namespace: 'kube-system', name: 'x', ...own })).toContain('kube-system');
    const pods = { kind: 'resources', apiVersion: 'v1', resourceKind: 'Pod', ...own } as const;
    expect(refusal({ ...pods, namespace: 'shop' })).toBeUndefined();
    for (const namespace of ['other', '*', 'sho?', ''])
      expect(refusal({ ...pods, ...(namespace ? { namespace } : {}) })).toBeTypeOf('string');
  });

  it('never return Secrets or cluster-scoped objects', () => {
    expect(resourceRefusal({ group: '', resource: 'secrets', namespaced: true }, 'shop')).toContain('secrets');
    expect(resourceRefusal({ group: '', resource: 'nodes', namespaced: false }, 'shop')).toContain('nodes');
    expect(resourceRefusal({ group: '', resource: 'secrets', namespaced: true }, undefined)).toBeUndefined();
  });

  it('call services only where an administrator allows it', () => {
    const call: LookUp = { kind: 'serviceCall', method: 'GET', url: 'https://x.example', headers: {}, ...own };
    expect(refusal(call)).toContain('lookUps.serviceCallNamespaces');
    expect(refusal(call, { ...strictLookUpRules, serviceCallNamespaces: ['shop'] })).toBeUndefined();
    expect(refusal(call, { ...strictLookUpRules, serviceCallNamespaces: ['other'] })).toBeTypeOf('string');
  });

  it('use no secrets for registries', () => {
    const image = { kind: 'imageData', reference: 'x', ...own } as const;
    expect(refusal(image)).toBeUndefined();
    expect(refusal({ ...image, credentials: { secrets: ['ours'] } })).toBeTypeOf('string');
  });
});

describe('an API call of a ClusterPolicy', () => {
  it('POSTs reviews, and elsewhere only where an administrator allows it', () => {
    expect(refusal(post('/apis/authorization.k8s.io/v1/subjectaccessreviews'))).toBeUndefined();
    const jobs = '/apis/batch/v1/namespaces/kube-system/jobs';
    expect(refusal(post(jobs))).toContain('lookUps.postPaths');
    const rules = { ...strictLookUpRules, postPaths: ['/apis/batch/v1/namespaces/*/jobs'] };
    expect(refusal(post(jobs), rules)).toBeUndefined();
    expect(refusal({ ...post(jobs), dryRun: true }, rules)).toContain('dry run');
  });

  it('may read any plain path', () => {
    const read = (urlPath: string) => refusal({ kind: 'apiCall', method: 'GET', urlPath });
    expect(read('/api/v1/namespaces/kube-system/secrets')).toBeUndefined();
    expect(read('/api/v1/nodes?labelSelector=a%3Db')).toBeUndefined();
    expect(read('/api/v1/%2e%2e/x')).toBeTypeOf('string');
  });
});

describe('global context entries', () => {
  const read: LookUp = { kind: 'globalContext', name: 'deployments', asLibrary: true };

  it('are read by policies of the cluster, and by those of namespaces that an administrator names', () => {
    expect(refusal(read)).toBeUndefined();
    expect(refusal({ ...read, ...own })).toContain('lookUps.globalContextNamespaces');
    expect(refusal({ ...read, ...own }, { ...strictLookUpRules, globalContextNamespaces: ['other'] })).toBeDefined();
    for (const allowed of ['shop', '*'])
      expect(
        refusal({ ...read, ...own }, { ...strictLookUpRules, globalContextNamespaces: [allowed] }),
      ).toBeUndefined();
  });
});
