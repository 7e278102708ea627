export interface CommitFacts {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Folder of the target. */
  readonly folder: string
  /** Paths from the root of the repository. */
  readonly changed: readonly string[]
}

/** Names that a template may use, each with what it stands for. */
const placeholders: Readonly<Record<string, (facts: CommitFacts) => string>> = {
  target: ({ target }) => target,
  branch: ({ branch }) => branch,
  path: ({ folder }) => (folder === '' ? '.' : folder),
  count: ({ changed }) => String(changed.length),
  summary: (facts) => summary(facts),
  files: (facts) => fileLines(facts),
}

/** Why a template cannot be used; undefined when it can. */
export const templateProblem = (template: string): string | undefined => {
  const unknown = [...template.matchAll(PLACEHOLDER)].find(
    ([, name = '']) => !Object.hasOwn(placeholders, name),
  )
  if (unknown !== undefined) {
    const known = Object.keys(placeholders).join(', ')
    return `{{ ${unknown[1]} }} is none of ${known}`
  }
  const rest = template.replace(PLACEHOLDER, '')
  return rest.includes('{{') || rest.includes('}}') ? 'a brace is not closed' : undefined
}

/** What a commit says. Without a template: what changed, in a line, and which files, below. */
export const commitMessage = (template: string | undefined, facts: CommitFacts): string => {
  if (template === undefined) {
    return facts.changed.length === 1 ? summary(facts) : `${summary(facts)}\n\n${fileLines(facts)}`
  }
  return template.replace(PLACEHOLDER, (all, name: string) => placeholders[name]?.(facts) ?? all)
}

const PLACEHOLDER = /\{\{\s*([A-Za-z]+)\s*\}\}/g
const MOST_FILES = 100

const summary = (facts: CommitFacts): string => {
  const [only] = facts.changed
  if (facts.changed.length === 1 && only !== undefined) {
    return `Mirror ${relative(facts, only).replace(/\.yaml$/, '')}`
  }
  return `Mirror ${facts.changed.length} files of ${facts.target}`
}

const fileLines = (facts: CommitFacts): string => {
  const names = facts.changed.slice(0, MOST_FILES).map((path) => `- ${relative(facts, path)}`)
  const more = facts.changed.length - names.length
  return [...names, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const relative = ({ folder }: CommitFacts, path: string): string =>
  folder === '' ? path : path.slice(folder.length + 1)
