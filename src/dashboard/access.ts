import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, createLimiter, errorMessage, isJsonObject, type Logger, mapConcurrent } from '../base/index.ts';
import { isKubeError, type KubeConnection } from '../kube/index.ts';
import { textOf } from './fields.ts';
import { HttpError } from './http.ts';
import type { Session, ShownKind } from './protocol.ts';
import { createShares } from './shares.ts';
import { shownKinds, Visibility } from './visibility.ts';

/** A user of the page. */
export interface Viewer {
  readonly user: string;
  readonly method: Session['method'];
  readonly sees: Visibility;
  /** The cluster was being read when the API server was asked: it was not asked about namespaces that came since. */
  readonly isPartial?: boolean;
  /** Whether they may get this one object, as of now. */
  readonly mayGet: (object: ObjectAttributes, signal: AbortSignal) => Promise<boolean>;
}

/** An object as access reviews name it. */
interface ObjectAttributes {
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Who has this token, and what they may see; undefined for nobody. `from`: the address that sends it. */
export type Authenticate = (token: string, signal: AbortSignal, from?: string) => Promise<Viewer | undefined>;

interface ClusterAccessOptions {
  readonly client: Pick<KubeConnection, 'raw'>;
  /** The namespaces that have objects of the kind. */
  readonly namespacesOf: (kind: ShownKind) => Iterable<string>;
  /** False while first lists are missing: there may be namespaces that are not known yet. */
  readonly isComplete: () => boolean;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
}

const cachedMs = 60_000;
/** While the cluster is being read: a user sees namespaces soon after they are read. */
const incompleteMs = 2_000;
const maxViewers = 1_000;
const maxNamespaces = 2_000;
/** Of all users together. They wait in the order in which they are asked, and each user asks for a few at a time. */
const reviewsAtOnce = 32;
const reviewsOfKindAtOnce = 4;
/** Tokens that are asked about at the same time: unknown tokens must not flood the API server. */
const tokens = { max: 32, maxOfOne: 24 };
/** Users whose rights are asked for at the same time, and those of one tenant, who may have any number of tokens. */
const subjects = { max: 32, maxOfOne: 2 };
/** A longer text is no token of a cluster. */
const maxTokenLength = 16 << 10;

const groups: Readonly<Record<ShownKind, string>> = {
  pods: '',
  events: '',
  jobs: 'batch',
  policyreports: 'wgpolicyk8s.io',
  imagedetecteds: 'automation.gitops.io',
  mirroredimages: 'supercargo.dev',
  vulnerabilityreports: 'aquasecurity.github.io',
};
/** Without namespaces: there is nothing to ask for each of them. */
const clusterScoped: ReadonlySet<ShownKind> = new Set(['mirroredimages']);

/**
 * The API server decides, by TokenReview and SubjectAccessReview. An answer holds for a minute. Whatever cannot be
 * asked is not seen.
 */
export function createClusterAccess(options: ClusterAccessOptions): Authenticate {
  const { client, namespacesOf, isComplete, clock, log } = options;
  const perf = { now: () => clock.monotonicMs() };
  const cached = { max: maxViewers, ttl: cachedMs, ttlResolution: 0, perf };
  const viewers = new LRUCache<string, Promise<Viewer | undefined>>(cached);
  /** By user: a user with many tokens is asked about once. */
  const rights = new LRUCache<string, Promise<Rights>>(cached);
  const limiter = createLimiter(reviewsAtOnce);
  const tokenShares = createShares(tokens);
  const subjectShares = createShares(subjects);
  /** Apart from the viewers: wrong tokens must not make us ask again for all users. */
  const refused = new LRUCache<string, true>(cached);
  const post = async (path: string, kind: string, spec: object, signal: AbortSignal) => {
    const apiVersion = path.slice('/apis/'.length, path.lastIndexOf('/'));
    const { value } = await client.raw(path, { post: { apiVersion, kind, spec }, signal });
    const status = isJsonObject(value) ? value['status'] : undefined;
    return isJsonObject(status) ? status : {};
  };
  const allows = async (user: object, attributes: object, signal: AbortSignal) => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
    const spec = { ...user, resourceAttributes: { verb: 'list', ...attributes } };
    return await limiter.run(async () => (await post(path, 'SubjectAccessReview', spec, signal))['allowed'] === true);
  };

  const rightsOf = async (subject: object, signal: AbortSignal): Promise<Rights> => {
    const isPartial = !isComplete();
    const everywhere = new Set<ShownKind>();
    const namespaces = new Map<ShownKind, Set<string>>();
    await Promise.all(
      shownKinds.map(async (resource) => {
        const attributes = { group: groups[resource], resource };
        if (await allows(subject, attributes, signal)) {
          everywhere.add(resource);
          return;
        }
        if (clusterScoped.has(resource)) return;
        const some = new Set<string>();
        const asked = [...new Set(namespacesOf(resource))].filter((name) => name !== '').slice(0, maxNamespaces);
        await mapConcurrent(asked, reviewsOfKindAtOnce, async (namespace) => {
          if (await allows(subject, { ...attributes, namespace }, signal)) some.add(namespace);
        });
        if (some.size > 0) namespaces.set(resource, some);
      }),
    );
    return { sees: new Visibility(everywhere, namespaces), isPartial };
  };

  const knownRightsOf = (key: string, subject: Subject, signal: AbortSignal): Promise<Rights> => {
    const known = rights.get(key);
    if (known) return known;
    const back = subjectShares.take(tenantOf(subject.user));
    if (!back) throw tooMany();
    const ttl = isComplete() ? cachedMs : incompleteMs;
    const asked = rightsOf(subject, signal).finally(back);
    rights.set(key, asked, { ttl });
    asked.catch(() => rights.delete(key));
    return asked;
  };

  const review = async (token: string, signal: AbortSignal): Promise<Reviewed | undefined> => {
    const status = await post('/apis/authentication.k8s.io/v1/tokenreviews', 'TokenReview', { token }, signal);
    const user = status['user'];
    if (status['authenticated'] !== true || !isJsonObject(user)) return undefined;
    const { groups: of, uid, extra } = user;
    const subject = { user: textOf(user, 'username'), groups: of, uid, extra };
    const key = keyOf(subject);
    const { sees, isPartial } = await knownRightsOf(key, subject, signal);
    return {
      user: subject.user,
      method: 'token',
      sees,
      isPartial,
      holdsMs: rights.getRemainingTTL(key),
      mayGet: (object, until) => allows(subject, { verb: 'get', ...object }, until),
    };
  };

  return (token, signal, from = '') => {
    if (token.length > maxTokenLength) return Promise.resolve(undefined);
    // Tokens are secrets: the cache has their hashes.
    const key = createHash('sha256').update(token).digest('base64');
    if (refused.has(key)) return Promise.resolve(undefined);
    const known = viewers.get(key);
    if (known) return known;
    const back = tokenShares.take(from);
    if (!back) throw tooMany();
    const viewer = review(token, signal).finally(back);
    viewer.then(
      (found) => {
        // With another token of the user the rights may have been asked for a while ago. A time of 0 would never end.
        if (found) viewers.set(key, viewer, { ttl: Math.max(1, found.holdsMs) });
        else {
          viewers.delete(key);
          refused.set(key, true);
        }
      },
      (thrown: unknown) => {
        viewers.delete(key);
        if (isKubeError(thrown, 'kube-forbidden'))
          log.error('the dashboard may not ask who a user is; apply the roles of supercargo install', {
            error: errorMessage(thrown),
          });
      },
    );
    viewers.set(key, viewer);
    return viewer;
  };
}

/** A viewer, and for how long the answers about them hold. */
interface Reviewed extends Viewer {
  readonly holdsMs: number;
}

interface Rights {
  readonly sees: Visibility;
  readonly isPartial: boolean;
}

interface Subject {
  readonly user: string;
  readonly groups: unknown;
  readonly uid: unknown;
  readonly extra: unknown;
}

const tooMany = () => new HttpError('too-many', 'too many users log in', { 'retry-after': '1' });

/** Tells one token of a user from another, and nothing about the user. */
const credentialKey = 'authentication.kubernetes.io/credential-id';

function keyOf({ extra, ...subject }: Subject): string {
  const { [credentialKey]: _, ...rest } = isJsonObject(extra) ? extra : {};
  return createHash('sha256')
    .update(JSON.stringify({ ...subject, extra: rest }))
    .digest('base64');
}

/** Whoever may write in a namespace has all of its ServiceAccounts. */
export const tenantOf = (user: string) => /^(system:serviceaccount:[^:]+):/.exec(user)?.[1] ?? user;

interface LinkAccessOptions {
  readonly token: string;
  readonly user: string;
  /** What the program could read so far. */
  readonly sees: () => Visibility;
  readonly isComplete: () => boolean;
}

/** Whoever has the link has the rights of whoever started the program. */
export function createLinkAccess({ token, user, sees, isComplete }: LinkAccessOptions): Authenticate {
  const wanted = digestOf(token);
  // The API server judges the requests of the program themselves.
  const mayGet = async () => true;
  return async (given) =>
    timingSafeEqual(digestOf(given), wanted)
      ? { user, method: 'link', sees: sees(), isPartial: !isComplete(), mayGet }
      : undefined;
}

const digestOf = (text: string) => createHash('sha256').update(text).digest();
