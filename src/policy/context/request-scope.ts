import { missing, Scope } from '../../jmespath/index.ts';
import { type PolicyRequest, subjectOf } from '../request.ts';
import type { ImageExtractor } from '../types.ts';
import { imagesOf } from './images.ts';
import { Layer, type Lazy, mergeDeep } from './scope.ts';

const accountPrefix = 'system:serviceaccount:';

/** The bottom layer: the request, its service account, and the images of the object. */
export function requestScope(
  request: PolicyRequest,
  extractors?: Readonly<Record<string, readonly ImageExtractor[]>>,
): Scope {
  if (extractors === undefined && request.variables === undefined) return new RequestScope(request);
  const username = request.info?.userInfo.username ?? '';
  const account = username.startsWith(accountPrefix) ? username.slice(accountPrefix.length).split(':') : [];
  const entries = new Map<string, Lazy>([
    ['request', () => requestValue(request)],
    ['serviceAccountName', () => account[1] ?? ''],
    ['serviceAccountNamespace', () => (account.length > 1 ? account[0] : '')],
  ]);
  const subject = subjectOf(request);
  if (subject) entries.set('images', () => imagesOf(subject, extractors));
  for (const [key, value] of Object.entries(request.variables ?? {})) {
    const below = entries.get(key);
    entries.set(key, below ? () => mergeDeep(below(), value) : () => value);
  }
  return new Layer(entries);
}

/** The fast path without image extractors and variables, as in admission: every value is computed on first access. */
class RequestScope extends Scope {
  private request: object | undefined;
  private images: unknown;

  constructor(private readonly given: PolicyRequest) {
    super();
  }

  get(key: string): unknown {
    switch (key) {
      case 'request':
        this.request ??= requestValue(this.given);
        return this.request;
      case 'serviceAccountName':
        return this.account()[1] ?? '';
      case 'serviceAccountNamespace': {
        const account = this.account();
        return account.length > 1 ? account[0] : '';
      }
      case 'images': {
        const subject = subjectOf(this.given);
        if (!subject) return missing;
        this.images ??= imagesOf(subject);
        return this.images;
      }
      default:
        return missing;
    }
  }

  override keys(): Iterable<string> {
    const keys = ['request', 'serviceAccountName', 'serviceAccountNamespace'];
    return subjectOf(this.given) ? [...keys, 'images'] : keys;
  }

  private account(): readonly string[] {
    const username = this.given.info?.userInfo.username ?? '';
    return username.startsWith(accountPrefix) ? username.slice(accountPrefix.length).split(':') : [];
  }
}

function requestValue({ operation, object, oldObject, kind, subresource, info, dryRun, uid }: PolicyRequest): object {
  const subject = object ?? oldObject;
  const namespace = subject?.kind === 'Namespace' ? subject.metadata.name : subject?.metadata.namespace;
  return {
    uid,
    operation,
    kind,
    ...(subresource === '' ? {} : { subResource: subresource }),
    ...(subject?.metadata.name ? { name: subject.metadata.name } : {}),
    ...(namespace ? { namespace } : {}),
    ...(object ? { object } : {}),
    ...(oldObject ? { oldObject } : {}),
    ...(dryRun === undefined ? {} : { dryRun }),
    ...(info ? { userInfo: info.userInfo, roles: info.roles, clusterRoles: info.clusterRoles } : {}),
  };
}
