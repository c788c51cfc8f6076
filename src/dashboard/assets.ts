import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { isJsonObject } from '../base/index.ts';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: Buffer;
  /** Compressed at build time. */
  readonly brotli: Buffer | undefined;
  readonly etag: string;
  /** Its name has a hash of its content, so it never changes. */
  readonly isImmutable: boolean;
}

/** By path, from `/`. */
export type Assets = ReadonlyMap<string, Asset>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

const maxBytes = 16 << 20;
/** `app-3F2A9C81.js`, as bundlers write it. */
const hashed = /[-.][A-Za-z0-9_]{8,}\.[a-z0-9]+$/;

/** Reads the files of the page into memory; empty if it was not built. */
export async function readAssets(folder: string): Promise<Assets> {
  const bodies = new Map<string, Buffer>();
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((thrown: unknown) => {
    if (isJsonObject(thrown) && thrown['code'] === 'ENOENT') return [];
    throw thrown;
  });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const body = await readFile(file);
    bytes += body.length;
    if (bytes > maxBytes) throw new Error(`the files in ${folder} have more than ${maxBytes} bytes`);
    bodies.set(`/${relative(folder, file).split(sep).join('/')}`, body);
  }
  return new Map(
    [...bodies].flatMap(([path, body]) => {
      const type = types[extname(path)];
      if (type === undefined) return [];
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      return [[path, { type, body, brotli: bodies.get(`${path}.br`), etag, isImmutable: hashed.test(path) }]];
    }),
  );
}

/** The file for a path. Paths of views are the page itself, which reads its address. */
export function assetFor(assets: Assets, path: string): Asset | undefined {
  return (
    assets.get(path) ?? (extname(path) === '' || path.startsWith('/images/') ? assets.get('/index.html') : undefined)
  );
}
