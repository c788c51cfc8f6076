import { LRUCache } from 'lru-cache';
import { renderJson } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy, type PolicyIssue } from '../policy/index.ts';

type CompileResult = ReturnType<typeof compilePolicy>;

/** Compiles a policy that is about to be written only once: for its check, and when it is stored. */
interface RevisionCompiler {
  /** Of a policy under review, which the informer may show next. */
  check(object: object): readonly PolicyIssue[];
  /** Of a stored policy; its program refers to this object. */
  compile(object: KubeObject): CompileResult;
}

/** Between the review of a write and its event few others are reviewed. What is not kept is compiled again. */
const maxKept = 32;
const maxKeptChars = 1_000_000;

export function createRevisionCompiler(): RevisionCompiler {
  const reviewed = new LRUCache<string, CompileResult>({
    max: maxKept,
    maxSize: maxKeptChars,
    sizeCalculation: (_, { length }) => Math.max(length, 1),
  });
  return {
    check(object) {
      const compiled = compilePolicy(object);
      if (compiled.program) reviewed.set(contentOf(object), compiled);
      return compiled.issues;
    },
    compile(object) {
      const content = reviewed.size > 0 ? contentOf(object) : '';
      const known = reviewed.get(content);
      if (!known?.program) return compilePolicy(object);
      reviewed.delete(content);
      return { ...known, program: { ...known.program, policy: object } };
    },
  };
}

/** All that a program is made of: not what the API server adds after the review, and not the status. */
function contentOf(object: Partial<KubeObject>): string {
  const { apiVersion, kind, metadata = {}, spec } = object;
  const { name, namespace, uid, labels, annotations } = metadata;
  return renderJson([apiVersion, kind, name, namespace, uid, labels, annotations, spec]);
}
