import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ResourceTemplate } from '../api/index.ts';
import { errorCode, errorMessage, rfc3339, UsageError } from '../base/index.ts';
import { renderDetection, type TemplateData, templateData } from '../create/index.ts';
import { parseDigest, parseReference, withDefaultTag } from '../image/index.ts';
import type { Files } from '../manifests/index.ts';
import { builtinSchemaOf } from '../schema/index.ts';
import { diffLines } from '../sync/index.ts';
import { readOwn } from './custom-documents.ts';

export interface RenderOptions {
  readonly files: Files;
  /** The file of a ResourceTemplate. */
  readonly template: string;
  readonly image: string;
  readonly digest?: string | undefined;
  readonly prefix?: string | undefined;
  /** Added to the variables of the template, or overriding them. */
  readonly variables: Readonly<Record<string, string>>;
  /** A checked-out repository to compare with. */
  readonly against?: string | undefined;
  readonly nowMs: number;
}

export interface RenderedFile {
  readonly path: string;
  readonly content: string;
  /** Undefined if nothing was compared. */
  readonly change?: 'added' | 'changed' | 'kept' | 'unchanged';
  readonly diff?: string;
}

export interface Rendered {
  readonly files: readonly RenderedFile[];
  readonly message: string;
  readonly data: TemplateData;
  /** Warnings. */
  readonly warnings: readonly string[];
}

/** What a template would commit for an image; nothing is written and Git is not contacted. */
export function renderTemplate(options: RenderOptions): Rendered {
  const { files, against } = options;
  if (against !== undefined && !files.isDirectory(against))
    throw new UsageError('render-against', `--against ${against} is no folder`);
  const template = readOwn<ResourceTemplate>(files, options.template, 'ResourceTemplate');
  if ((template.spec.template === undefined) === (template.spec.multiFiles === undefined))
    throw new UsageError(
      'render-template',
      `${options.template}: spec: exactly one of template, multiFiles must be set`,
    );
  const spec = { ...template.spec, variables: { ...template.spec.variables, ...options.variables } };
  const detection = { spec: detectionOf(options) };
  const { files: planned, message, warnings } = renderDetection(detection, { spec }, builtinSchemaOf);
  const keepsFiles = (spec.duplicateCheck ?? 'repository') !== 'exact';
  return {
    files: planned.map(({ path, content }) => ({
      path,
      content,
      ...(against === undefined ? {} : compare(content, readIfThere(join(against, path)), keepsFiles)),
    })),
    message,
    data: templateData(detection.spec, spec),
    warnings: [...warnings, ...prefixNotes(options, template)],
  };
}

function detectionOf({ image, digest, prefix, nowMs }: RenderOptions) {
  const { registry, path, tag, digest: own } = withDefaultTag(parseReference(image));
  const imageTag = tag ?? 'latest';
  // Any digest will do to show the text.
  const imageDigest = digest === undefined ? (own ?? `sha256:${'0'.repeat(64)}`) : parseDigest(digest);
  return {
    imageName: path.replaceAll('/', '-'),
    imageTag,
    imageDigest,
    fullImageName: `${registry}/${path}:${imageTag}`,
    ...(prefix === undefined ? {} : { tagPrefix: prefix }),
    sourcePolicy: { name: 'render' },
    detectedAt: rfc3339(nowMs),
  };
}

/** Without a prefix the rendering differs from that of a policy with `extractPrefix`. */
function prefixNotes({ prefix }: RenderOptions, { spec }: ResourceTemplate): readonly string[] {
  const texts = [spec.template ?? '', ...(spec.multiFiles ?? []).flatMap((file) => [file.relativePath, file.template])];
  return prefix === undefined && texts.some((text) => /\.TagPrefix\b/.test(text))
    ? ['the template uses .TagPrefix, which is empty here: give it with --prefix']
    : [];
}

/** With a duplicate check by repository or name the controller leaves an existing file to GitOps. */
function compare(
  content: string,
  before: string | undefined,
  keepsFiles: boolean,
): Pick<RenderedFile, 'change' | 'diff'> {
  if (before === content) return { change: 'unchanged', diff: '' };
  const lines = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
  const diff = diffLines(lines(before ?? ''), lines(content)).join('\n');
  return { change: before === undefined ? 'added' : keepsFiles ? 'kept' : 'changed', diff };
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT' || errorCode(thrown) === 'ENOTDIR') return undefined;
    throw new UsageError('render-unreadable', `cannot read ${path}: ${errorMessage(thrown)}`);
  }
}
