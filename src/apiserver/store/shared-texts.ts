import { LRUCache } from 'lru-cache';

/** Shorter texts are not worth a look-up. */
const fewCharacters = 256;
/** Of texts that are shared, or may be: some thousand templates of large pods. */
const maxCharacters = 8 * 1024 * 1024;

/**
 * Stores texts once that objects of one template have in common. In a pod only a few words are its own: its node, and the
 * volume of its token, whose name is in every container. The text between them is the same in all pods of a Deployment.
 */
export class SharedTexts {
  private readonly known = new LRUCache<string, string>({
    maxSize: maxCharacters,
    sizeCalculation: (text) => text.length,
  });

  /** Pieces that make the text when they are joined. It is cut where objects usually differ; any cut is right. */
  cut(text: string): readonly string[] {
    return cutAtOwnWords(text).map((piece) => (piece.length < fewCharacters ? copyOf(piece) : this.share(piece)));
  }

  private share(text: string): string {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    const own = copyOf(text);
    this.known.set(own, own);
    return own;
  }
}

const tokenVolume = 'kube-api-access-';
const suffixLength = 5;

function cutAtOwnWords(text: string): readonly string[] {
  const statusAt = text.lastIndexOf('"status":{');
  const head = statusAt === -1 ? text : text.slice(0, statusAt);
  const pieces: string[] = [];
  const nodeAt = head.indexOf('"nodeName":"');
  if (nodeAt === -1) cutAtToken(head, pieces);
  else {
    const end = head.indexOf('"', nodeAt + '"nodeName":"'.length) + 1 || head.length;
    cutAtToken(head.slice(0, nodeAt), pieces);
    pieces.push(head.slice(nodeAt, end));
    cutAtToken(head.slice(end), pieces);
  }
  if (statusAt !== -1) pieces.push(text.slice(statusAt));
  return pieces;
}

function cutAtToken(text: string, pieces: string[]): void {
  let from = 0;
  for (let at = text.indexOf(tokenVolume); at !== -1; at = text.indexOf(tokenVolume, from)) {
    let end = Math.min(at + tokenVolume.length + suffixLength, text.length);
    // Pieces may be encoded one by one: both halves of a character belong to one.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end--;
    pieces.push(text.slice(from, at), text.slice(at, end));
    from = end;
  }
  pieces.push(text.slice(from));
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit < 0xdc00;

/** A slice holds the text that it was cut from. */
function copyOf(text: string): string {
  const copy = Buffer.from(text, 'latin1').toString('latin1');
  return copy === text ? copy : Buffer.from(text, 'utf16le').toString('utf16le');
}
