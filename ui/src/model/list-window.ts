export interface ListWindow {
  /** The first row to render, and the one after the last. */
  readonly first: number;
  readonly end: number;
}

export interface Viewport {
  /** How far the top edge of the list is above the top edge of the view. */
  readonly scrolled: number;
  readonly height: number;
}

/** The rows of fixed height to render: those in sight and `margin` more on both sides, so that scrolling shows no gap. */
export function listWindow(viewport: Viewport, rowHeight: number, count: number, margin: number): ListWindow {
  const first = Math.floor(viewport.scrolled / rowHeight) - margin;
  const end = Math.ceil((viewport.scrolled + viewport.height) / rowHeight) + margin;
  const clamp = (row: number) => Math.min(count, Math.max(0, row));
  return { first: clamp(first), end: clamp(end) };
}

/** The scroll position at which `row` is in sight; undefined when it is already. */
export function scrollTo(row: number, viewport: Viewport, rowHeight: number): number | undefined {
  const top = row * rowHeight;
  if (top < viewport.scrolled) return top;
  if (top + rowHeight > viewport.scrolled + viewport.height) return top + rowHeight - viewport.height;
  return undefined;
}
