import type { PublishItem } from './publish-item.ts';

export const defaultCommitMessage = 'Add {{ .ImageName }} {{ .ImageTag }}';

const maxListed = 50;

/** One detection: its own message. Several: their count and the first line of each message. */
export function commitMessage(items: readonly PublishItem[]): string {
  const [first] = items;
  if (items.length === 1 && first) return first.message;
  const lines = items.slice(0, maxListed).map(({ message }) => `- ${message.trim().split('\n', 1)[0]}`);
  if (items.length > maxListed) lines.push(`- and ${items.length - maxListed} more`);
  return `Add ${items.length} images\n\n${lines.join('\n')}`;
}

const defaultAuthor = { name: 'Supercargo', email: 'supercargo@localhost' };

export function authorOf({ template }: Pick<PublishItem, 'template'>): {
  readonly name: string;
  readonly email: string;
} {
  const { name, email } = template.spec.gitRepository.author ?? {};
  return { name: name || defaultAuthor.name, email: email || defaultAuthor.email };
}
