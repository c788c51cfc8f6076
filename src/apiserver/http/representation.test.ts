import { expect, it } from 'vitest';
import { StatusError } from '../status.ts';
import { negotiate } from './representation.ts';

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

it.each([
  [undefined, 'object', false],
  ['', 'object', false],
  ['*/*', 'object', false],
  ['application/json', 'object', false],
  ['application/yaml', 'object', true],
  ['application/json; as=PartialObjectMetadata; v=v1; g=meta.k8s.io', 'metadata', false],
  ['application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'metadata', false],
  [`${table},application/json`, 'table', false],
  // What kubectl sends: a version that we do not serve is passed over for the next.
  ['application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json', 'object', false],
  ['application/json;as=Something;v=v1;g=meta.k8s.io,application/json', 'object', false],
  ['application/vnd.kubernetes.protobuf,application/json', 'object', false],
  ['text/html,application/xhtml+xml,*/*;q=0.8', 'object', false],
])('Accept %j is answered as %s', (accept, representation, yaml) => {
  expect(negotiate(accept)).toEqual({ representation, yaml });
});

it.each(['text/html', 'application/vnd.kubernetes.protobuf', 'application/json;as=Something;v=v1;g=meta.k8s.io'])(
  'Accept %j cannot be served',
  (accept) => {
    expect(() => negotiate(accept)).toThrow(StatusError);
    expect(() => negotiate(accept)).toThrow(/^406: Not Acceptable/);
  },
);
