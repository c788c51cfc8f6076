import { inspect } from 'node:util';
import type { ReportedStatus } from './entry.ts';

type Colour = 'red' | 'green' | 'yellow' | 'gray' | 'bold' | 'cyan' | 'magenta';
export type Paint = (colour: Colour, text: string) => string;

/** The caller has decided about colours; `styleText` would check the streams and the environment again. */
export const painter = (hasColours: boolean): Paint => (hasColours ? paint : (_, text) => text);

function paint(colour: Colour, text: string): string {
  const [open, close] = inspect.colors[colour]!;
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

export const statusColours: Readonly<Record<ReportedStatus, Colour>> = {
  pass: 'green',
  fail: 'red',
  warn: 'yellow',
  error: 'magenta',
  skip: 'gray',
};
