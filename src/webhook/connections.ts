import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

interface ConnectionLimits {
  readonly maxConnections: number;
  /** Per remote address. */
  readonly maxConnectionsPerPeer: number;
}

export interface Connections {
  /** A review on this connection was answered, as on the connections of the API server's pool. */
  delivered(socket: Socket, authenticated: boolean): void;
  readonly size: number;
}

interface Connection {
  readonly peer: Peer;
  close(): void;
}

interface Peer {
  readonly address: string;
  /** In the order of arrival. */
  readonly fresh: Set<Connection>;
  readonly proven: Set<Connection>;
  /** Connections of the API server: never closed to make room. */
  readonly authenticated: Set<Connection>;
}

const countOf = ({ fresh, proven, authenticated }: Peer) => fresh.size + proven.size + authenticated.size;

/**
 * Bounds the connections of a server, in total and per peer. When it is full, a new connection replaces the oldest
 * connection without an answered review, of the peer that has most of those; otherwise the oldest with one, of another
 * peer that has more. So a flood closes its own connections, and those of the API server stay.
 */
export function limitConnections(
  server: Server,
  { maxConnections, maxConnectionsPerPeer }: ConnectionLimits,
  onClosed: (reason: 'too-many-connections' | 'too-many-of-peer' | 'made-room') => void,
): Connections {
  const peers = new Map<string, Peer>();
  const bySocket = new WeakMap<Socket, Connection>();
  const byAddress = new Map<string, Connection & { secure?: TLSSocket }>();
  const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`;
  let size = 0;

  const peerOf = (address: string): Peer => {
    let peer = peers.get(address);
    if (!peer) peers.set(address, (peer = { address, fresh: new Set(), proven: new Set(), authenticated: new Set() }));
    return peer;
  };
  const makeRoom = (within?: Peer): boolean => {
    const from =
      within ?? [...peers.values()].reduce((most, each) => (each.fresh.size > most.fresh.size ? each : most));
    const [oldest] = from.fresh;
    if (!oldest) return false;
    oldest.close();
    onClosed('made-room');
    return true;
  };

  const makeRoomFor = (newcomer: Peer): boolean => {
    if (makeRoom()) return true;
    const most = [...peers.values()].reduce((found, each) => (each.proven.size > found.proven.size ? each : found));
    const [oldest] = most.proven;
    if (!oldest || most.proven.size <= countOf(newcomer)) return false;
    oldest.close();
    onClosed('made-room');
    return true;
  };

  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket;
    // The peer closed the connection before it was accepted.
    if (remoteAddress === undefined) return;
    const peer = peerOf(remoteAddress);
    if (countOf(peer) >= maxConnectionsPerPeer && !makeRoom(peer)) {
      onClosed('too-many-of-peer');
      socket.destroy();
      return;
    }
    if (size >= maxConnections && !makeRoomFor(peer)) {
      onClosed('too-many-connections');
      socket.destroy();
      return;
    }
    const key = keyOf(socket);
    let isOpen = true;
    const connection: Connection & { secure?: TLSSocket } = {
      peer,
      close() {
        forget();
        connection.secure?.destroy();
        socket.destroy();
      },
    };
    const forget = () => {
      if (!isOpen) return;
      isOpen = false;
      size--;
      peer.fresh.delete(connection);
      peer.proven.delete(connection);
      peer.authenticated.delete(connection);
      if (countOf(peer) === 0) peers.delete(peer.address);
      if (byAddress.get(key) === connection) byAddress.delete(key);
    };
    size++;
    peers.set(peer.address, peer);
    peer.fresh.add(connection);
    byAddress.set(key, connection);
    socket.once('close', forget);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const connection = byAddress.get(keyOf(socket));
    if (!connection) return;
    connection.secure = socket;
    bySocket.set(socket, connection);
  });
  return {
    delivered(socket, authenticated) {
      const connection = bySocket.get(socket);
      if (connection?.peer.fresh.delete(connection))
        connection.peer[authenticated ? 'authenticated' : 'proven'].add(connection);
    },
    get size() {
      return size;
    },
  };
}
