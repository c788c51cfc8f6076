import { expect, it } from 'vitest';
import { parseReview } from './review.ts';

const review = (request: object) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
      resource: { group: 'apps', version: 'v1', resource: 'deployments' },
      operation: 'CREATE',
      ...request,
    },
  });

it('tells the kind that the client wrote, and its options', () => {
  const options = { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions', fieldManager: 'kubectl' };
  const requestKind = { group: 'apps', version: 'v1beta1', kind: 'Deployment' };
  const requestResource = { group: 'apps', version: 'v1beta1', resource: 'deployments' };
  const parsed = parseReview(review({ requestKind, requestResource, requestSubResource: 'scale', options }));
  expect(parsed).toMatchObject({ requestKind, requestResource, requestSubResource: 'scale', options });
});

it('drops what is of another type', () => {
  const parsed = parseReview(review({ requestKind: 'x', requestResource: [], requestSubResource: 1, options: 'y' }));
  expect(parsed).toMatchObject({ requestSubResource: '' });
  expect([parsed.requestKind, parsed.requestResource, parsed.options]).toEqual([undefined, undefined, undefined]);
});
