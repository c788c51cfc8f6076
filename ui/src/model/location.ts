export const viewNames = ['overview', 'images', 'copies', 'pipeline', 'results', 'jobs', 'system'] as const;
export type ViewName = (typeof viewNames)[number];

export type Params = Readonly<Record<string, string>>;

/** Where the page is: everything a view shows follows from it. */
export interface Place {
  readonly view: ViewName | 'image' | 'missing';
  /** The image of `image`. */
  readonly image?: string;
  readonly params: Params;
}

/** Reads the path and query of a URL. */
export function parsePlace(path: string, query: string): Place {
  const search = new URLSearchParams(query);
  const params: Record<string, string> = Object.create(null);
  for (const [name, value] of search) if (value !== '' && !(name in params)) params[name] = value;
  if (path === '/') return { view: 'overview', params };
  if (path === '/images' && params['id'] !== undefined) {
    const { id, ...rest } = params;
    return { view: 'image', image: id!, params: rest };
  }
  if (path.startsWith('/images/')) {
    const image = decode(path.slice('/images/'.length));
    return image === undefined ? { view: 'missing', params } : { view: 'image', image, params };
  }
  const view = viewNames.find((name) => path === `/${name}`);
  return { view: view ?? 'missing', params };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The URL of a place; parameters that are empty are left out. */
export function renderPlace({ view, image, params }: Place): string {
  if (view === 'image') return hrefOfImage(image ?? '', params);
  return `${view === 'overview' || view === 'missing' ? '/' : `/${view}`}${renderQuery(params)}`;
}

/** The URL of an image. A reference that a browser would change as a path goes into the query. */
export function hrefOfImage(id: string, params: Params = {}): string {
  const segments = id.split('/');
  if (id.length > 1000 || segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    return `/images${renderQuery({ id, ...params })}`;
  const path = segments.map((segment) => encodePart(segment).replaceAll('%3A', ':').replaceAll('%40', '@')).join('/');
  return `/images/${path}${renderQuery(params)}`;
}

function renderQuery(params: Params): string {
  const parts = Object.entries(params)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encodePart(name)}=${encodePart(value).replaceAll('%2C', ',').replaceAll('%2F', '/')}`);
  return parts.length === 0 ? '' : `?${parts.join('&')}`;
}

// Half a surrogate pair cannot be encoded.
const encodePart = (text: string) => encodeURIComponent(text.toWellFormed());

/** The same place with other parameters; `undefined` and `''` remove one. */
export function withParams(place: Place, changes: Readonly<Record<string, string | undefined>>): Place {
  const params: Record<string, string> = { ...place.params };
  for (const [name, value] of Object.entries(changes)) {
    if (value) params[name] = value;
    else delete params[name];
  }
  return { ...place, params };
}

/** The named parameters that are set, as a query for the API. */
export function pickParams(params: Params, names: readonly string[]): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of names) if (params[name]) query.set(name, params[name]);
  return query;
}
