/** The elements of a Go time layout, named by their form in the reference time. */
export type LayoutPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'fraction'; readonly digits: number; readonly isExact: boolean; readonly separator: string }
  | { readonly kind: LayoutElement };

type LayoutElement = (typeof elements)[number];

// Longest first where one is a prefix of another.
const elements = [
  'January',
  'Jan',
  'Monday',
  'Mon',
  'MST',
  '002',
  '01',
  '02',
  '03',
  '04',
  '05',
  '06',
  '15',
  '1',
  '2006',
  '2',
  '_2',
  '__2',
  '3',
  '4',
  '5',
  'PM',
  'pm',
  '-070000',
  '-07:00:00',
  '-0700',
  '-07:00',
  '-07',
  'Z070000',
  'Z07:00:00',
  'Z0700',
  'Z07:00',
  'Z07',
] as const;

const byFirst = new Map<string, LayoutElement[]>();
for (const element of elements) {
  const first = element[0] as string;
  byFirst.set(first, [...(byFirst.get(first) ?? []), element]);
}

/** Splits a layout such as `Mon, 02 Jan 2006 15:04:05 -0700`. */
export function parseLayout(layout: string): LayoutPart[] {
  const parts: LayoutPart[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') parts.push({ kind: 'text', text });
    text = '';
  };
  for (let i = 0; i < layout.length; ) {
    const fraction = fractionAt(layout, i);
    const element = fraction ? undefined : elementAt(layout, i);
    if (fraction) {
      flush();
      parts.push(fraction);
      i += fraction.digits + 1;
    } else if (element !== undefined) {
      flush();
      parts.push({ kind: element });
      i += element.length;
    } else text += layout[i++];
  }
  flush();
  return parts;
}

function elementAt(layout: string, at: number): LayoutElement | undefined {
  // An underscore before a year is only an underscore.
  if (layout.startsWith('_2006', at)) return undefined;
  for (const element of byFirst.get(layout[at] as string) ?? []) {
    if (!layout.startsWith(element, at)) continue;
    const isWordGoingOn = /[a-z]/.test(layout[at + 3] ?? '');
    if ((element === 'Jan' || element === 'Mon') && isWordGoingOn) continue;
    return element;
  }
  return undefined;
}

function fractionAt(layout: string, at: number): Extract<LayoutPart, { kind: 'fraction' }> | undefined {
  const found = /^[.,](0+|9+)(?![0-9])/.exec(layout.slice(at, at + 32));
  if (!found?.[1]) return undefined;
  return {
    kind: 'fraction',
    digits: found[1].length,
    isExact: found[1].startsWith('0'),
    separator: layout[at] as string,
  };
}
