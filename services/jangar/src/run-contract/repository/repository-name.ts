/**
 * A repository as policies, limits and the remote's address know it: `org/name.git` is the same repository as
 * `org/name`. Case is kept, since not every service ignores it.
 */
export function repositoryName(text: string): string {
  const trimmed = text.trim()
  return trimmed.replace(/(?<=[^/])(?:\.git)+$/i, '')
}
