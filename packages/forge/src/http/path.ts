import { ForgeError } from '../forge-error.ts'

/** A path of a URL with encoded values. Each value is one segment, whatever it contains. */
export function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((text, part, at) => `${text}${segment(values[at - 1] ?? '')}${part}`)
}

function segment(value: string | number): string {
  const text = String(value)
  // Means another path to URL parsers, even if it is encoded.
  if (text === '' || text === '.' || text === '..') {
    throw new ForgeError('invalid', `${JSON.stringify(text)} is not a valid name`)
  }
  return encodeURIComponent(text)
}

/** Where GitHub and Gitea have the repository. */
export function repositoryPath(repository: string): string {
  return `/repos${repositorySegments(repository)}`
}

/** The organization and the team of `organization/team`. */
export function teamParts(team: string): readonly [string, string] {
  const [organization = '', name = '', ...more] = team.split('/')
  if (organization === '' || name === '' || more.length > 0) {
    throw new ForgeError('invalid', 'the team is not organization/team')
  }
  return [organization, name]
}

/** `owner/name` as two segments. */
export function repositorySegments(repository: string): string {
  const at = repository.indexOf('/')
  if (at < 1) throw new ForgeError('invalid', 'the repository is not owner/name')
  return path`/${repository.slice(0, at)}/${repository.slice(at + 1)}`
}
