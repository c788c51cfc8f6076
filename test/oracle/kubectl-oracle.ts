import { type Json, type JsonObject, parseJson, renderJson } from '../../src/base/index.ts';
import { locateTool, runTool } from '../support/kubectl.ts';
import { notLocated } from '../support/skip.ts';

/** What kubectl made of each object, by name; objects it failed on are missing, and `stderr` says why. */
export interface KubectlOutput {
  readonly objects: ReadonlyMap<string, Json>;
  readonly stderr: string;
}

export interface Oracle {
  readonly skip: boolean;
  /** Applies one patch to many objects: a call costs as much as a hundred objects. */
  patch(type: 'json' | 'merge' | 'strategic', objects: readonly JsonObject[], patch: Json): Promise<KubectlOutput>;
  /** Reads YAML and answers the objects as JSON. */
  read(yaml: string): Promise<KubectlOutput>;
}

export async function createOracle(): Promise<Oracle> {
  const tool = await locateTool('kubectl');
  notLocated('the comparison with kubectl', tool);
  const run = async (type: string, patch: Json, input: string): Promise<KubectlOutput> => {
    const args = ['patch', '--local', '-f', '-', `--type=${type}`, '-p', renderJson(patch), '-o', 'json'];
    const { stdout, stderr } = await runTool(tool.path ?? '', args, input);
    return { objects: byName(stdout), stderr };
  };
  return {
    skip: tool.path === undefined,
    patch: (type, objects, patch) => run(type, patch, renderJson({ apiVersion: 'v1', kind: 'List', items: objects })),
    read: (yaml) => run('merge', {}, yaml),
  };
}

/** kubectl prints one indented object after the other. */
function byName(stdout: string): Map<string, Json> {
  const objects = new Map<string, Json>();
  for (const text of stdout.split(/^(?=\{)/m)) {
    if (text.trim() === '') continue;
    const object = parseJson(text) as { readonly metadata: { readonly name: string } };
    objects.set(object.metadata.name, object as unknown as Json);
  }
  return objects;
}

/** Ours in the same form: undefined where the patch was refused. */
export function attempt(work: () => Json): { readonly value?: Json; readonly message: string } {
  try {
    return { value: work(), message: '' };
  } catch (thrown) {
    return { message: (thrown as Error).message };
  }
}
