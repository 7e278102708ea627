export interface CommitFacts {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Folder of the target. */
  readonly folder: string
  /** Paths from the root of the repository. */
  readonly changed: readonly string[]
  /** Of these, the files that were not there before. */
  readonly created: ReadonlySet<string>
  /** Of these, the files that are there no more. */
  readonly deleted: ReadonlySet<string>
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
  if (template.trim() === '') return 'it has no words'
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

type Effect = 'created' | 'updated' | 'deleted'
const effects: readonly Effect[] = ['created', 'updated', 'deleted']
const verbs: Readonly<Record<Effect, string>> = {
  created: 'Create',
  updated: 'Update',
  deleted: 'Delete',
}

const effectOn = ({ created, deleted }: CommitFacts, path: string): Effect =>
  created.has(path) ? 'created' : deleted.has(path) ? 'deleted' : 'updated'

/** The verb says it all where all fared alike; else the counts do. */
const summary = (facts: CommitFacts): string => {
  const { changed, target } = facts
  const by = Map.groupBy(changed, (path) => effectOn(facts, path))
  const counts = effects.flatMap((effect) => {
    const count = by.get(effect)?.length ?? 0
    return count === 0 ? [] : [{ effect, count }]
  })
  const [first, ...others] = counts
  if (first === undefined || others.length > 0) {
    const parts = counts.map(({ effect, count }) => `${count} ${effect}`).join(', ')
    return `Mirror ${changed.length} files of ${target}: ${parts}`
  }
  const [path] = changed
  const verb = verbs[first.effect]
  return changed.length === 1 && path !== undefined
    ? `${verb} ${relative(facts, path).replace(/\.yaml$/, '')}`
    : `${verb} ${changed.length} files of ${target}`
}

const fileLines = (facts: CommitFacts): string => {
  const names = facts.changed
    .slice(0, MOST_FILES)
    .map((path) => `- ${effectOn(facts, path)} ${relative(facts, path)}`)
  const more = facts.changed.length - names.length
  return [...names, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

const relative = ({ folder }: CommitFacts, path: string): string =>
  folder === '' ? path : path.slice(folder.length + 1)
