/** The account of one body that is being read. */
interface BodyAccount {
  /** Counts bytes; false when this body was aborted to free memory. */
  take(bytes: number): boolean;
  /** The body is complete or aborted. */
  close(): void;
}

export interface BodyBudget {
  open(peer: string, abort: () => void): BodyAccount;
  readonly bytes: number;
}

interface Body {
  readonly peer: string;
  bytes: number;
  abort(): void;
}

/**
 * Bounds the bytes of all bodies that are being read. When the limit is exceeded, the largest body of the peer with the
 * most bytes is aborted, so that small reviews get through while a peer sends large ones slowly.
 */
export function createBodyBudget(maxBytes: number): BodyBudget {
  const bodies = new Set<Body>();
  const byPeer = new Map<string, number>();
  let total = 0;

  const add = (body: Body, bytes: number) => {
    body.bytes += bytes;
    total += bytes;
    const left = (byPeer.get(body.peer) ?? 0) + bytes;
    if (left > 0) byPeer.set(body.peer, left);
    else byPeer.delete(body.peer);
  };
  const close = (body: Body) => {
    if (bodies.delete(body)) add(body, -body.bytes);
  };
  const largest = (): Body | undefined => {
    let found: Body | undefined;
    for (const body of bodies) {
      const [mine, best] = [byPeer.get(body.peer) ?? 0, found ? (byPeer.get(found.peer) ?? 0) : -1];
      if (!found || mine > best || (mine === best && body.bytes > found.bytes)) found = body;
    }
    return found;
  };
  return {
    open(peer, abort) {
      const body: Body = { peer, bytes: 0, abort };
      bodies.add(body);
      return {
        take(bytes) {
          if (!bodies.has(body)) return false;
          add(body, bytes);
          while (total > maxBytes) {
            const victim = largest();
            if (!victim) break;
            close(victim);
            victim.abort();
          }
          return bodies.has(body);
        },
        close: () => close(body),
      };
    },
    get bytes() {
      return total;
    },
  };
}
