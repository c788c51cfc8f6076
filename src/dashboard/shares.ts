/** A bounded number of places, of which one holder may take some only: the others find one however many it wants. */
export interface Shares {
  /** A function that gives the place back; undefined if there is none for this holder. */
  take(holder: string): (() => void) | undefined;
  readonly taken: number;
}

export function createShares({ max, maxOfOne }: { readonly max: number; readonly maxOfOne: number }): Shares {
  const byHolder = new Map<string, number>();
  let taken = 0;
  return {
    take(holder) {
      const own = byHolder.get(holder) ?? 0;
      if (taken >= max || own >= maxOfOne) return undefined;
      taken++;
      byHolder.set(holder, own + 1);
      let isBack = false;
      return () => {
        if (isBack) return;
        isBack = true;
        taken--;
        const left = byHolder.get(holder)! - 1;
        if (left === 0) byHolder.delete(holder);
        else byHolder.set(holder, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
