interface CommitFacts {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Folder of the target. */
  readonly folder: string
  /** Paths from the root of the repository. */
  readonly changed: readonly string[]
  /** Changed files that did not exist before. */
  readonly created: ReadonlySet<string>
  /** Changed files that no longer exist. */
  readonly deleted: ReadonlySet<string>
}

/** Placeholders of a template, with their values. */
const placeholders: Readonly<Record<string, (facts: CommitFacts) => string>> = {
  target: ({ target }) => target,
  branch: ({ branch }) => branch,
  path: ({ folder }) => (folder === '' ? '.' : folder),
  count: ({ changed }) => String(changed.length),
  summary: (facts) => summary(facts),
  files: (facts) => fileLines(facts),
}

/** Why a template is invalid; undefined if it is valid. */
export function templateProblem(template: string): string | undefined {
  if (template.trim() === '') return 'it is empty'
  const unknown = [...template.matchAll(placeholder)].find(
    ([, name = '']) => !Object.hasOwn(placeholders, name),
  )
  if (unknown !== undefined) {
    const known = Object.keys(placeholders).join(', ')
    return `unknown placeholder {{ ${unknown[1]} }}; known placeholders are ${known}`
  }
  const rest = template.replace(placeholder, '')
  return rest.includes('{{') || rest.includes('}}') ? 'a {{ or }} is unpaired' : undefined
}

/** The message of a commit. Without a template: a summary line, followed by the changed files. */
export function commitMessage(template: string | undefined, facts: CommitFacts): string {
  if (template === undefined) {
    return facts.changed.length === 1 ? summary(facts) : `${summary(facts)}\n\n${fileLines(facts)}`
  }
  return template.replace(placeholder, (all, name: string) => placeholders[name]?.(facts) ?? all)
}

const placeholder = /\{\{\s*([A-Za-z]+)\s*\}\}/g
const mostFiles = 100

type Effect = 'created' | 'updated' | 'deleted'
const effects: readonly Effect[] = ['created', 'updated', 'deleted']
const verbs: Readonly<Record<Effect, string>> = {
  created: 'Create',
  updated: 'Update',
  deleted: 'Delete',
}

function effectOn({ created, deleted }: CommitFacts, path: string): Effect {
  return created.has(path) ? 'created' : deleted.has(path) ? 'deleted' : 'updated'
}

/** Names the verb if all files were changed in the same way, otherwise the counts. */
function summary(facts: CommitFacts): string {
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

function fileLines(facts: CommitFacts): string {
  const names = facts.changed
    .slice(0, mostFiles)
    .map((path) => `- ${effectOn(facts, path)} ${relative(facts, path)}`)
  const more = facts.changed.length - names.length
  return [...names, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

function relative({ folder }: CommitFacts, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1)
}
