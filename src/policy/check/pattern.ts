import { isJsonObject } from '../../base/index.ts';
import { cut, fieldOf, type Issues } from './issues.ts';
import { checkStars } from './limits.ts';

/** Anchors a document may carry: those of patterns, or none where it is a plain resource. */
const patternAnchors = '<=X^';

const anchor = /^([+<=X^])?\(.+\)$/;

/** A pattern that resources are compared with: only anchors that compare, and lists where existence asks for one. */
export function checkPattern(pattern: unknown, path: string, issues: Issues): void {
  if (typeof pattern === 'string') {
    for (const alternative of pattern.split(/[|&]/)) checkStars(alternative, path, issues);
  } else if (Array.isArray(pattern)) {
    for (const [i, item] of pattern.entries()) checkPattern(item, `${path}[${i}]`, issues);
  } else if (isJsonObject(pattern)) {
    for (const [key, value] of Object.entries(pattern)) {
      const place = fieldOf(path, key);
      checkAnchor(key, value, place, issues);
      checkStars(key, place, issues);
      checkPattern(value, place, issues);
    }
  }
}

function checkAnchor(key: string, value: unknown, path: string, issues: Issues): void {
  const found = anchor.exec(key.trim());
  if (found === null) return;
  if (found[1] !== undefined && !patternAnchors.includes(found[1])) {
    issues.error('policy-pattern', path, `unsupported anchor ${cut(key)}: it adds a field, which only a patch can do`);
  }
  if (found[1] !== '^') return;
  if (!Array.isArray(value)) issues.error('policy-pattern', path, 'existence anchor should have value of type list');
  else if (value.length === 0) issues.error('policy-pattern', path, 'existence anchor: should have at least one value');
}

/** A resource to be made: anchors have no meaning in it. */
export function checkNoAnchors(document: unknown, path: string, issues: Issues): void {
  if (Array.isArray(document)) {
    for (const [i, item] of document.entries()) checkNoAnchors(item, `${path}[${i}]`, issues);
  } else if (isJsonObject(document)) {
    for (const [key, value] of Object.entries(document)) {
      const place = fieldOf(path, key);
      if (anchor.test(key.trim()))
        issues.error('policy-generate', place, 'anchors not supported on generate resources');
      checkNoAnchors(value, place, issues);
    }
  }
}

/** Labels and annotations that YAML parsed as numbers or booleans, which no object can have. */
export function checkMetadataTexts(document: unknown, path: string, issues: Issues): void {
  if (!isJsonObject(document)) return;
  checkTexts(document['metadata'], `${path}.metadata`, issues);
  const { spec } = document;
  const template = isJsonObject(spec) ? spec['template'] : undefined;
  if (isJsonObject(template)) checkTexts(template['metadata'], `${path}.spec.template.metadata`, issues);
}

function checkTexts(metadata: unknown, path: string, issues: Issues): void {
  if (!isJsonObject(metadata)) return;
  for (const field of ['labels', 'annotations'] as const) {
    const map = metadata[field];
    if (!isJsonObject(map)) continue;
    for (const [key, value] of Object.entries(map)) {
      if (typeof value === 'string') continue;
      issues.error(
        'policy-pattern',
        fieldOf(`${path}.${field}`, key),
        'labels and annotations supports only string values, "use double quotes around the non string values"',
      );
    }
  }
}
