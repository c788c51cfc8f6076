import type { Repository } from '../image/index.ts';

/** Token scopes, as in Docker's token specification. */
export const pullScope = ({ path }: Repository) => [`repository:${path}:pull`];
export const pushScope = ({ path }: Repository) => [`repository:${path}:pull,push`];
export const deleteScope = ({ path }: Repository) => [`repository:${path}:delete,pull`];
export const mountScopes = (target: Repository, from: Repository) => [...pushScope(target), ...pullScope(from)];
export const catalogScope = ['registry:catalog:*'];
