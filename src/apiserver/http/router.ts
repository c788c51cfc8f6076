import type { IncomingMessage, ServerResponse } from 'node:http';
import { renderJson } from '../../base/index.ts';
import { aggregatedDiscovery, coreVersions, group, groupList, resourceList } from '../discovery/discovery.ts';
import type { OpenApi } from '../discovery/openapi.ts';
import { openApiV2, openApiV2Type } from '../discovery/openapi-v2.ts';
import type { UserInfo } from '../operations/context.ts';
import type { Catalog } from '../resources/catalog.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { type Authorize, accessOf, checkAccess, verbOf } from './access.ts';
import { parseResourcePath } from './request-info.ts';
import { methodNotAllowed, type ResourceHandler, unknownPath } from './resource-handler.ts';
import { send } from './respond.ts';

interface RouterEnvironment {
  readonly catalog: Catalog;
  readonly openApi: OpenApi;
  readonly resources: ResourceHandler;
  readonly authorize: Authorize;
  readonly version: string;
  readonly host: string;
}

const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Routes a URL to its handler. */
export class Router {
  constructor(private readonly environment: RouterEnvironment) {}

  async route(request: IncomingMessage, response: ServerResponse, user: UserInfo, warnings: string[]): Promise<void> {
    // Not with URL, which would resolve dot segments: the path is used unchanged.
    const { url = '/' } = request;
    const mark = url.indexOf('?');
    const search = mark === -1 ? '' : url.slice(mark + 1);
    const path = (mark === -1 ? url : url.slice(0, mark)).replace(/\/+$/, '') || '/';
    const info = parseResourcePath(path);
    const query = new URLSearchParams(search);
    await checkAccess(
      accessOf({ method: request.method ?? 'GET', path, info, query, user }),
      this.environment.authorize,
    );
    if (!info) return this.discovery(path, request, response);
    const definition = this.environment.catalog.find(info);
    if (!definition) throw unknownPath();
    if (definition.namespaced ? info.name !== '' && info.namespace === '' : info.namespace !== '') throw unknownPath();
    if (info.subresource === '')
      checkVerb(definition, request.method ?? 'GET', info.name !== '', info.namespace !== '');
    await this.environment.resources.handle({
      request,
      response,
      info,
      query,
      definition,
      user,
      warnings,
    });
  }

  private discovery(path: string, request: IncomingMessage, response: ServerResponse): void {
    if (path === '/openapi/v2' && (request.headers.accept ?? '').includes('proto-openapi')) {
      send(response, { code: 200, body: openApiV2(this.environment.version).protobuf, contentType: openApiV2Type });
      return;
    }
    const body = this.document(path, request.headers.accept ?? '');
    if (body === undefined) throw unknownPath();
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed();
    const isAggregated = (path === '/api' || path === '/apis') && wantsAggregated(request.headers.accept ?? '');
    const contentType = path.endsWith('z') ? 'text/plain' : isAggregated ? aggregatedType : 'application/json';
    send(response, { code: 200, body: typeof body === 'string' ? body : renderJson(body), contentType });
  }

  private document(path: string, accept: string): object | string | undefined {
    const { catalog, openApi, version, host } = this.environment;
    switch (path) {
      case '/healthz':
      case '/livez':
      case '/readyz':
        return 'ok';
      case '/version':
        return versionInfo(version);
      case '/':
        return { paths: ['/api', '/api/v1', '/apis', '/healthz', '/livez', '/openapi/v3', '/readyz', '/version'] };
      case '/api':
        return wantsAggregated(accept) ? aggregatedDiscovery(catalog, true) : coreVersions(host);
      case '/apis':
        return wantsAggregated(accept) ? aggregatedDiscovery(catalog, false) : groupList(catalog);
      case '/api/v1':
        return resourceList(catalog, '', 'v1');
      case '/openapi/v2':
        return openApiV2(version).json;
      case '/openapi/v3':
        return openApi.index();
    }
    if (path.startsWith('/openapi/v3/')) return openApi.document(path.slice('/openapi/v3/'.length));
    const [, apis, groupName, groupVersion, ...rest] = path.split('/');
    if (apis !== 'apis' || groupName === undefined || rest.length > 0) return undefined;
    return groupVersion === undefined ? group(catalog, groupName) : resourceList(catalog, groupName, groupVersion);
  }
}

const wantsAggregated = (accept: string) => accept.includes('as=APIGroupDiscoveryList') && accept.includes('v=v2');

function versionInfo(version: string): object {
  const [major, minor] = version.replace(/^v/, '').split('.');
  return {
    major,
    minor,
    gitVersion: `${version}+supercargo`,
    gitCommit: '',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: 'node',
    platform: `${process.platform}/${process.arch}`,
  };
}

function checkVerb(definition: ResourceDefinition, method: string, named: boolean, inNamespace: boolean): void {
  const verb = verbOf(method, named);
  if (verb === undefined || !definition.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === 'create' && definition.namespaced && !inNamespace) throw methodNotAllowed();
}
