import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { isJsonObject, type Json } from './json.ts';
import { assignOwn, setOwn } from './own.ts';
import type { SourceText } from './yaml-error.ts';
import { renderKey, resolvePlain, type Scalar } from './yaml-scalar.ts';

export interface YamlDocument {
  readonly value: Json;
  /** The line where the content starts, counting from 1. */
  readonly line: number;
}

/**
 * The nodes that aliases may add to a document (16 characters of text count as one more). Aliases are shared in memory,
 * but each costs time when the result is walked or printed.
 */
const maxAliasedNodes = 400_000;

/** YAML is written by people, and its parser is recursive. JSON, which programs send, may be deeper. */
export const maxYamlDepth = 500;

/** A finished value with the cost to walk it. */
interface Node {
  readonly value: Json;
  readonly weight: number;
  /** Levels of nesting; 0 for a scalar. */
  readonly height: number;
}

interface Frame {
  readonly value: Json[] | Record<string, Json>;
  readonly anchor: string | undefined;
  weight: number;
  height: number;
  /** The key of the next value; `merge` for `<<`. */
  key: { readonly text: string; readonly isMerge: boolean } | undefined;
  /** Explicit keys of this mapping: a merge may overwrite them and be overwritten, another key may not. */
  readonly written: Set<string>;
}

/** Builds JSON values from the parser's events, by the rules of go-yaml 2. */
export class YamlBuilder {
  readonly documents: YamlDocument[] = [];
  private frames: Frame[] = [];
  private anchors = new Map<string, Node | 'open'>();
  private root: Node | undefined;
  private rootOffset: number | undefined;
  private aliasedNodes = 0;
  private offset = 0;

  constructor(private readonly source: SourceText) {}

  build(events: readonly Event[]): readonly YamlDocument[] {
    for (const event of events) this.step(event);
    return this.documents;
  }

  private step(event: Event): void {
    this.offset = offsetOf(event) ?? this.offset;
    if (event.type !== EVENT_ID.DOCUMENT) this.rootOffset ??= this.offset;
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        this.frames = [];
        this.anchors = new Map();
        this.root = undefined;
        this.rootOffset = undefined;
        break;
      case EVENT_ID.SEQUENCE:
      case EVENT_ID.MAPPING:
        this.open(event.type === EVENT_ID.SEQUENCE ? [] : {}, this.anchorOf(event));
        break;
      case EVENT_ID.SCALAR:
        this.scalar(event);
        break;
      case EVENT_ID.ALIAS:
        this.alias(this.source.text.slice(event.anchorStart, event.anchorEnd));
        break;
      case EVENT_ID.POP:
        this.close();
    }
  }

  private open(value: Frame['value'], anchor: string | undefined): void {
    if (this.frames.at(-1) && this.isAtKey()) this.fail('yaml-invalid-key', 'a list or map cannot be a key');
    if (anchor !== undefined) this.anchors.set(anchor, 'open');
    this.frames.push({ value, anchor, weight: 1, height: 1, key: undefined, written: new Set() });
  }

  private close(): void {
    const frame = this.frames.pop();
    if (frame) {
      const { value, weight, height, anchor } = frame;
      const node = { value, weight, height };
      if (anchor !== undefined) this.anchors.set(anchor, node);
      this.add(node);
    } else if (this.root && this.root.value !== null) {
      this.documents.push({ value: this.root.value, line: this.source.at(this.rootOffset ?? 0).line });
    }
  }

  private scalar(event: ScalarEvent): void {
    const text = getScalarValue(this.source.text, event);
    const tag = event.tagStart === -1 ? '' : this.source.text.slice(event.tagStart, event.tagEnd);
    const isPlain = event.style === SCALAR_STYLE.PLAIN;
    const value = tag === '' ? (isPlain ? resolvePlain(text) : text) : this.resolveTagged(shortTag(tag), text);
    const anchor = this.anchorOf(event);
    if (this.isAtKey()) {
      this.key(value, text, isPlain && tag === '' && text === '<<');
      if (anchor !== undefined) this.anchors.set(anchor, { value, weight: 1, height: 0 });
      return;
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      this.fail('yaml-not-json', `${text} is a number that JSON cannot carry`);
    }
    const node = { value, weight: 1 + (text.length >> 4), height: 0 };
    if (anchor !== undefined) this.anchors.set(anchor, node);
    this.add(node);
  }

  private key(value: Scalar, text: string, isMerge: boolean): void {
    const frame = this.frames.at(-1)!;
    const key = typeof value === 'string' ? value : renderKey(value, text);
    if (key === undefined) this.fail('yaml-invalid-key', 'null cannot be a key; quote it');
    if (!isMerge && frame.written.has(key)) {
      this.fail('yaml-duplicate-key', `key ${JSON.stringify(key)} already set in map`);
    }
    if (!isMerge) frame.written.add(key);
    frame.key = { text: key, isMerge };
  }

  private alias(name: string): void {
    const node = this.anchors.get(name);
    if (node === undefined) this.fail('yaml-unknown-anchor', `unknown anchor '${name}' referenced`);
    if (node === 'open') this.fail('yaml-recursive', `anchor '${name}' value contains itself`);
    if (this.isAtKey()) {
      if (node.height > 0) this.fail('yaml-invalid-key', 'a list or map cannot be a key');
      this.key(node.value as Scalar, String(node.value), false);
      return;
    }
    this.aliasedNodes += node.weight;
    if (this.aliasedNodes > maxAliasedNodes) this.fail('yaml-too-large', 'document contains excessive aliasing');
    if (this.frames.length + node.height > maxYamlDepth) {
      this.fail('yaml-too-deep', `nested more than ${maxYamlDepth} levels deep`);
    }
    this.add(node);
  }

  private add(node: Node): void {
    const frame = this.frames.at(-1);
    if (!frame) {
      this.root = node;
      return;
    }
    frame.weight += node.weight;
    frame.height = Math.max(frame.height, node.height + 1);
    if (Array.isArray(frame.value)) {
      frame.value.push(node.value);
      return;
    }
    const { text, isMerge } = frame.key!;
    frame.key = undefined;
    if (isMerge) this.merge(frame.value, node.value);
    else setOwn(frame.value, text, node.value);
  }

  /**
   * Merges apply at their position: keys before `<<` are overwritten, keys after it win; of several maps the first
   * wins.
   */
  private merge(target: Record<string, Json>, source: Json): void {
    const maps = Array.isArray(source) ? source.toReversed() : [source];
    for (const map of maps) {
      if (!isJsonObject(map))
        this.fail('yaml-invalid-merge', 'map merge requires map or sequence of maps as the value');
      assignOwn(target, map as Record<string, Json>);
    }
  }

  private resolveTagged(tag: string, text: string): Scalar {
    if (tag === '!!binary') {
      if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(text)) {
        this.fail('yaml-invalid-tag', '!!binary value contains invalid base64 data');
      }
      return Buffer.from(text, 'base64').toString();
    }
    const wanted = typesOfTags.get(tag);
    if (!wanted) return text;
    const value = resolvePlain(text);
    const actual = value === null ? 'null' : typeof value === 'bigint' ? 'number' : typeof value;
    return actual === wanted ? value : this.fail('yaml-invalid-tag', `cannot decode \`${text}\` as a ${tag}`);
  }

  private isAtKey(): boolean {
    const frame = this.frames.at(-1);
    return frame !== undefined && !Array.isArray(frame.value) && frame.key === undefined;
  }

  private anchorOf(event: { readonly anchorStart: number; readonly anchorEnd: number }): string | undefined {
    return event.anchorStart === -1 ? undefined : this.source.text.slice(event.anchorStart, event.anchorEnd);
  }

  private fail(code: `yaml-${string}`, what: string): never {
    this.source.fail(code, what, this.offset);
  }
}

/** Other tags, also custom ones, leave a scalar as text. */
const typesOfTags: ReadonlyMap<string, string> = new Map([
  ['!!int', 'number'],
  ['!!float', 'number'],
  ['!!bool', 'boolean'],
  ['!!null', 'null'],
]);

function shortTag(tag: string): string {
  const [, name] = /^!<tag:yaml\.org,2002:(.*)>$/.exec(tag) ?? [];
  return name === undefined ? tag : `!!${name}`;
}

function offsetOf(event: Event): number | undefined {
  if ('valueStart' in event) {
    const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
    return event.valueStart === -1 ? undefined : event.valueStart - (isQuoted ? 1 : 0);
  }
  if ('start' in event) return event.start;
  return 'anchorStart' in event ? event.anchorStart : undefined;
}
