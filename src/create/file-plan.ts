import type { ResourceTemplate } from '../api/index.ts';
import { errorMessage, parseYamlDocuments, type YamlDocument } from '../base/index.ts';
import { confinePath } from '../git/index.ts';
import { compileTemplate } from '../gotemplate/index.ts';
import { findRefusedKinds } from './allowed-kinds.ts';
import { CreateError } from './errors.ts';
import type { TemplateData } from './template-data.ts';
import { findTypeErrors, type SchemaOf } from './type-check.ts';
import { findUnquoted } from './unquoted.ts';

/** One file of a detection. */
export interface PlannedFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly content: string;
  /** The objects in the file; empty if the file is not YAML. */
  readonly documents: readonly YamlDocument[];
  /** Warnings as `file:line: …`. */
  readonly warnings?: readonly string[];
}

interface RenderInput {
  readonly spec: ResourceTemplate['spec'];
  readonly data: TemplateData;
  /** The value of `now` in a template: the same for every rendering of a detection. */
  readonly nowMs: number;
  readonly schemaOf: SchemaOf;
}

/** Renders and checks the files of one detection. The CreateError it throws names everything to fix. */
export function planFiles(input: RenderInput): readonly PlannedFile[] {
  const { spec, data } = input;
  const folder = spec.gitRepository.path ?? '.';
  const files =
    spec.multiFiles === undefined
      ? [{ path: singleFile(data), name: 'spec.template', template: spec.template ?? '' }]
      : spec.multiFiles.map(({ relativePath, template }, i) => ({
          path: render(relativePath, `spec.multiFiles[${i}].relativePath`, input).trim(),
          name: `spec.multiFiles[${i}].template`,
          template,
        }));
  const taken = new Map<string, string>();
  return files.map(({ path, name, template }) => {
    const full = confine(folder, path, name);
    const other = taken.get(full);
    if (other !== undefined)
      throw new CreateError('create-path-clash', `${name}: ${full} is the path of ${other} as well`);
    taken.set(full, name);
    const text = render(template, name, input);
    const content = text.endsWith('\n') ? text : `${text}\n`;
    if (!isYaml(full)) return { path: full, content, documents: [] };
    const documents = checkYaml(content, full, input);
    const warnings = findUnquoted(content, documents, data).map((warning) => `${full}${warning}`);
    return { path: full, content, documents, warnings };
  });
}

/** `webapp-frontend-dev.yaml`. Slashes are replaced, so that the name stays one path segment. */
function singleFile({ ImageName, TagPrefix }: TemplateData): string {
  const name = TagPrefix === '' ? ImageName : `${ImageName}-${TagPrefix}`;
  return `${name.replaceAll('/', '-')}.yaml`;
}

const isYaml = (path: string) => /\.(?:ya?ml|json)$/i.test(path);

function confine(folder: string, path: string, name: string): string {
  try {
    return confinePath(folder, path);
  } catch (thrown) {
    throw new CreateError('create-path-refused', `${name}: ${errorMessage(thrown)}`, thrown);
  }
}

/** Renders the text. Random functions fail, so that a rendering can be repeated. */
export function render(template: string, name: string, { data, nowMs }: Pick<RenderInput, 'data' | 'nowMs'>): string {
  try {
    return compileTemplate(template, { name }).render(data, { now: () => nowMs });
  } catch (thrown) {
    throw new CreateError('create-template-invalid', errorMessage(thrown), thrown);
  }
}

const maxErrors = 5;

function checkYaml(content: string, file: string, { schemaOf, spec }: RenderInput): readonly YamlDocument[] {
  let documents: readonly YamlDocument[];
  try {
    documents = parseYamlDocuments(content, { file });
  } catch (thrown) {
    throw new CreateError('create-manifest-invalid', `the rendered text is not YAML: ${errorMessage(thrown)}`, thrown);
  }
  if (documents.length === 0)
    throw new CreateError('create-manifest-invalid', `${file}: the template renders no document at all`);
  const refused = documents.flatMap(({ value }) => findRefusedKinds(value, spec.allowedKinds));
  if (refused.length > 0)
    throw new CreateError(
      'create-kind-refused',
      `${file}: the template may not write ${[...new Set(refused)].slice(0, maxErrors).join(', ')}: add it to spec.allowedKinds if it is meant`,
    );
  // With a dry run the server checks unknown fields: it may be newer than our schemas.
  const options = { allowsUnknown: spec.validation?.dryRun === true };
  const errors = documents.flatMap((document) =>
    findTypeErrors(document, schemaOf, options).map((error) => `${file}${error}`),
  );
  if (errors.length > 0) {
    const more = errors.length > maxErrors ? `; and ${errors.length - maxErrors} more` : '';
    throw new CreateError('create-manifest-invalid', `${errors.slice(0, maxErrors).join('; ')}${more}`);
  }
  return documents;
}
