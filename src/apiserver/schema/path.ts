/**
 * Where in an object something is. Cheap to make on the way down; the text is built only when an error
 * needs it.
 */
export class Path {
  private constructor(
    private readonly parent: Path | undefined,
    private readonly part: string,
  ) {}

  /** The path of a top-level field. */
  static of(...names: string[]): Path {
    return new Path(undefined, names.join('.'));
  }

  /** A field: `.name`. */
  child(...names: string[]): Path {
    return new Path(this, `.${names.join('.')}`);
  }

  /** An element of a list: `[0]`. */
  at(index: number): Path {
    return new Path(this, `[${index}]`);
  }

  /** An entry of a map: `[name]`. */
  key(name: string): Path {
    return new Path(this, `[${name}]`);
  }

  toString(): string {
    let text = '';
    for (let path: Path | undefined = this; path; path = path.parent) text = path.part + text;
    return text;
  }
}

/** The way down a walk has taken so far, as text: `spec.containers[0].image`. */
export function renderTrail(trail: readonly (string | number)[]): string {
  let text = '';
  for (const part of trail) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}
