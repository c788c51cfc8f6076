import type { Matcher } from 're2js';

const name = /^(?:\{([\p{L}\p{Nd}_]+)\}|([\p{L}\p{Nd}_]+))/u;

/**
 * Replaces `$1`, `$name`, `${name}` with the text of the groups; `$$` is a dollar. A name is as long as possible, so
 * `$1x` names the group "1x"; a group that does not exist or did not match is empty; a lone dollar stays.
 */
export function expandTemplate(template: string, matcher: Matcher): string {
  let result = '';
  let rest = template;
  for (;;) {
    const dollar = rest.indexOf('$');
    if (dollar === -1) return result + rest;
    result += rest.slice(0, dollar);
    rest = rest.slice(dollar + 1);
    if (rest.startsWith('$')) {
      result += '$';
      rest = rest.slice(1);
      continue;
    }
    const found = name.exec(rest);
    if (!found) {
      result += '$';
      continue;
    }
    rest = rest.slice(found[0].length);
    result += groupText(matcher, (found[1] ?? found[2]) as string);
  }
}

function groupText(matcher: Matcher, group: string): string {
  if (/^(?:0|[1-9][0-9]*)$/.test(group)) {
    const index = Number(group);
    return index <= matcher.groupCount() ? (matcher.group(index) ?? '') : '';
  }
  return Object.hasOwn(matcher.namedGroups, group) ? (matcher.group(group) ?? '') : '';
}
