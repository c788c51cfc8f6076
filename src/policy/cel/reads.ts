import { CelCompileError, libraryTypes, pathsIn } from '../../cel/index.ts';
import { partsOfScope, type ReadPart } from '../reads.ts';

/** The parts of a request that an expression reads; none for one that does not compile. */
export function partsOfExpression(expression: string): readonly ReadPart[] {
  try {
    return pathsIn(expression).flatMap(partsOfPath);
  } catch (thrown) {
    if (thrown instanceof CelCompileError) return [];
    throw thrown;
  }
}

/** Libraries that answer from what the expression gives them, and from the clock. */
const pure: ReadonlySet<string> = new Set(['time', 'json', 'yaml', 'random', 'x509', 'generator', 'envoy', 'jwt']);

function partsOfPath([root = '', field, below]: readonly string[]): readonly ReadPart[] {
  switch (root) {
    case 'object':
    case 'oldObject':
      return partsOfScope(['request', root, ...(field === undefined ? [] : [field])]);
    case 'request':
      return partsOfScope([root, ...[field, below].filter((part) => part !== undefined)]);
    case 'namespaceObject':
      return partsOfNamespace(field, below);
    default:
      return libraryTypes.has(root) && !pure.has(root) ? ['lookUps'] : [];
  }
}

/** Every request tells the name and the labels of its namespace. */
function partsOfNamespace(field: string | undefined, below: string | undefined): readonly ReadPart[] {
  if (field === 'metadata' && (below === 'name' || below === 'labels')) return ['namespaceLabels'];
  return ['namespaceLabels', 'namespace'];
}
