import type { Clock } from '../base/index.ts';
import type { InformerFactory } from '../kube/index.ts';
import { Cargo } from './cargo.ts';
import { feedCargo } from './feed.ts';
import { imageAnswer } from './image-detail.ts';
import { createImagesQuery, createVisibleImages } from './images-query.ts';
import { overviewOf } from './overview.ts';
import type { ImageAnswer, ImagesAnswer, Overview } from './protocol.ts';
import { Query } from './query.ts';
import { type TreeNode, treeOf } from './tree.ts';
import { readableOf } from './visibility.ts';

/** The same answers as the API's, once, of what the identity of the connection may list. */
export interface CargoReader {
  /** The filters of the API as a query string. All rows. */
  images(filter: string): ImagesAnswer;
  /** By any way to write its name. */
  image(name: string): ImageAnswer | undefined;
  overview(): Overview;
  tree(kind: string, namespace: string, name: string): TreeNode | undefined;
  /** Kinds that could not be read, with the reason. */
  readonly problems: readonly { readonly kind: string; readonly message: string }[];
}

interface ReaderOptions {
  readonly informers: InformerFactory;
  readonly installation: string;
  /** All namespaces if undefined. */
  readonly namespace: string | undefined;
  readonly clock: Clock;
}

const pollMs = 5;
const pageRows = 500;

/** Lists everything once. The caller ends the informers. */
export async function readCargo(options: ReaderOptions, signal: AbortSignal): Promise<CargoReader> {
  const { informers, installation, namespace, clock } = options;
  // Nothing changes while it is shown.
  const cargo = new Cargo(() => 0);
  const watched = feedCargo({ cargo, informers, installation, namespace });
  while (!watched.every(({ hasSynced, failing }) => hasSynced || failing !== undefined))
    await clock.sleep(pollMs, signal);
  const sees = readableOf(watched);
  const readVisible = createVisibleImages(cargo);
  const images = createImagesQuery(cargo, readVisible);
  const all = (filter: string): ImagesAnswer => {
    const items: ImagesAnswer['items'][number][] = [];
    let page: ImagesAnswer;
    do {
      const parameters = new URLSearchParams(filter);
      parameters.set('limit', String(pageRows));
      parameters.set('offset', String(items.length));
      page = images(new Query(parameters), sees);
      items.push(...page.items);
    } while (page.cursor !== undefined);
    return { ...page, items, offset: 0 };
  };
  return {
    images: all,
    image: (name) => imageAnswer(cargo, cargo.images.idOf(name), sees) ?? imageAnswer(cargo, name, sees),
    overview: () => overviewOf({ cargo, readVisible, sees, syncRuns: [], nowMs: clock.now() }),
    tree: (kind, within, name) => treeOf(cargo, kind, within, name),
    problems: watched.flatMap(({ type: { kind, group }, failing }) =>
      // A kind that is not installed has no objects.
      failing && failing.code !== 'kube-not-found'
        ? [{ kind: group === '' ? kind : `${kind}.${group}`, message: failing.error }]
        : [],
    ),
  };
}
