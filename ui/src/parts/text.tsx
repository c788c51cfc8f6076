import { Fragment, type JSX } from 'preact';
import { now } from '../data/time.ts';
import { renderAge, renderExact } from '../model/format.ts';
import { shortDigest, splitImage } from '../model/image-name.ts';
import { hrefOfImage } from '../model/location.ts';
import { shortened, visibleText } from '../model/visible-text.ts';

/** Text from a cluster, as text whatever it contains. `length`: what a row has room for; the rest is in the title. */
export function Text({ of, length = 400 }: { of: string; length?: number }): JSX.Element {
  const visible = visibleText(of.length > 20_000 ? of.slice(0, 20_000) : of);
  return visible.length > length ? (
    <bdi title={shortened(visible, 2000)}>{shortened(visible, length)}</bdi>
  ) : (
    <bdi>{visible}</bdi>
  );
}

/** Text with names of images: it breaks after a slash rather than inside of a word. */
export function Breaking({ of, length }: { of: string; length: number }): JSX.Element {
  const parts = shortened(visibleText(of.slice(0, 20_000)), length).split(/(?<=\/)/);
  return (
    <bdi>
      {parts.map((part, i) => (
        <Fragment key={i}>
          {i > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </bdi>
  );
}

/** How long ago; the exact time is in the title. */
export function Age({ at, absent = '–' }: { at: string | undefined; absent?: string }): JSX.Element {
  const ms = at === undefined ? Number.NaN : Date.parse(at);
  if (Number.isNaN(ms)) return <span class="faint">{absent}</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={renderExact(ms)}>
      {renderAge(ms, now.value)}
    </time>
  );
}

/** An image by the name that people use; what stands before it is quieter. */
export function ImageLink({ id, withTag = true }: { id: string; withTag?: boolean }): JSX.Element {
  const { prefix, name, tag, digest } = splitImage(id);
  return (
    <a class="image" href={hrefOfImage(id)} title={shortened(visibleText(id), 1000)}>
      <span class="faint">
        <Text of={prefix} length={60} />
      </span>
      <span class="lead">
        <Text of={name} length={60} />
        {withTag && tag !== undefined && (
          <>
            :<Text of={tag} length={40} />
          </>
        )}
      </span>
      {withTag && tag === undefined && digest !== undefined && <span class="faint mono">@{shortDigest(digest)}</span>}
    </a>
  );
}

/** `Deployment web`, with its namespace unless that is known from the place. */
export function ObjectName({
  of,
  withNamespace = true,
}: {
  of: { readonly kind: string; readonly name: string; readonly namespace?: string };
  withNamespace?: boolean;
}): JSX.Element {
  return (
    <span class="object">
      <span class="faint">{<Text of={of.kind} length={40} />} </span>
      <span class="faint">
        {withNamespace && of.namespace ? (
          <>
            <Text of={of.namespace} length={60} />/
          </>
        ) : null}
      </span>
      <span class="lead">
        <Text of={of.name} length={80} />
      </span>
    </span>
  );
}
