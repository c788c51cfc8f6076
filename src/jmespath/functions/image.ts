import { RE2JS } from 're2js';
import { invalid } from '../errors.ts';
import { define, type FunctionSpec } from './signature.ts';

/** An image name made whole: registry added, `:latest` where neither tag nor digest is given; a digest drops the tag. */
export const imageFunctions: readonly FunctionSpec[] = [
  define('image_normalize', ['string'], (run, image: string) => {
    run.chargeText(image.length);
    const { defaultRegistry = 'docker.io', addDefaultRegistry = true } = run.env;
    return normalize(image, defaultRegistry, addDefaultRegistry);
  }),
];

const component = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const host = `(?:${component}(?:\\.${component})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const part = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const path = `${part}(?:/${part})*`;
const digest = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
let compiled: RE2JS | undefined;
/** Compiled when first asked for: that takes longer than most of what a program does at its start. */
const reference = () =>
  (compiled ??= RE2JS.compile(`^(?:(${host})/)?(${path})(?::(\\w[\\w.-]{0,127}))?(?:@(${digest}))?$`));
const maxPathLength = 255;
const maxReferenceLength = 1024;
const digestLengths: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

function normalize(image: string, defaultRegistry: string, addDefaultRegistry: boolean): string {
  const isWithout = lacksRegistry(image);
  const full = isWithout ? `${defaultRegistry}/${image}` : image;
  const found = reference().matcher(full);
  if (full.length > maxReferenceLength || !found.find())
    throw invalid(`bad image: ${full.slice(0, 200)}: invalid reference format`);
  const [domain, repository, tag, digestText] = [1, 2, 3, 4].map((group) => found.group(group) ?? '') as [
    string,
    string,
    string,
    string,
  ];
  if (repository.length > maxPathLength)
    throw invalid(`repository name must not be more than ${maxPathLength} characters`);
  if (digestText !== '') checkDigest(digestText);
  const registry = isWithout && !addDefaultRegistry ? '' : domain;
  const name = registry === '' ? repository : `${registry}/${repository}`;
  return digestText === '' ? `${name}:${tag || 'latest'}` : `${name}@${digestText}`;
}

/** The part before the first slash is a registry when it has a dot, a colon, an upper-case letter, or is localhost. */
function lacksRegistry(image: string): boolean {
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(slash, 0));
  return slash === -1 || (!/[.:]/.test(first) && first !== 'localhost' && first.toLowerCase() === first);
}

function checkDigest(text: string): void {
  const [algorithm = '', hex = ''] = text.split(':');
  const length = Object.hasOwn(digestLengths, algorithm) ? digestLengths[algorithm] : undefined;
  if (length === undefined) throw invalid(`unsupported digest algorithm: ${algorithm}`);
  if (hex.length !== length || !/^[0-9a-f]+$/.test(hex)) throw invalid('invalid checksum digest format');
}
