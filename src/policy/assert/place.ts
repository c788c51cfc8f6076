/** A path in a tree, rendered lazily because most paths are never reported. */
export class Place {
  constructor(
    private readonly above: Place | undefined,
    private readonly text: string,
  ) {}

  child(key: string): Place {
    return new Place(this, `.${key}`);
  }

  at(index: number | string): Place {
    return new Place(this, `[${index}]`);
  }

  toString(): string {
    const parts: string[] = [];
    for (let place: Place | undefined = this; place; place = place.above) parts.push(place.text);
    return parts.reverse().join('').replace(/^\./, '');
  }
}

export const root = new Place(undefined, '');
