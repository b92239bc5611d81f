/**
 * The name under which a plan is downloaded. Pure.
 */

const LONGEST = 60;

/** "tidy-the-data.yaml". */
export function fileName(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LONGEST)
    .toLowerCase();
  return `${words || 'plan'}.yaml`;
}
