import type { Implementation } from './resolution.ts'

/** What else a fact may be called. The first name that has a value wins. */
const ALIASES: readonly (readonly [from: string, to: string])[] = [
  ['repo', 'repository'],
  ['issueRepository', 'repository'],
  ['issue', 'issueNumber'],
  ['issueId', 'issueNumber'],
  ['issue_id', 'issueNumber'],
  ['issue_number', 'issueNumber'],
  ['title', 'issueTitle'],
  ['body', 'issueBody'],
  ['url', 'issueUrl'],
  ['baseBranch', 'base'],
  ['base_ref', 'base'],
  ['baseRef', 'base'],
  ['headBranch', 'head'],
  ['head_ref', 'head'],
  ['headRef', 'head'],
  ['workflowStage', 'stage'],
  ['codexStage', 'stage'],
]

/**
 * What is known about a piece of work, by key: the parameters, what they are called elsewhere, what the contract maps, and what the
 * work itself tells. A fact that is there is never replaced.
 */
export function metadataOf(
  parameters: Readonly<Record<string, string>>,
  implementation: Implementation,
): Readonly<Record<string, string>> {
  const facts = new Map<string, string>()
  const add = (key: string, value: string | undefined) => {
    const trimmed = value?.trim() ?? ''
    if (trimmed !== '' && !facts.has(key)) facts.set(key, trimmed)
  }
  for (const [key, value] of Object.entries(parameters)) add(key, value)
  for (const [from, to] of ALIASES) add(to, facts.get(from))
  for (const { from, to } of implementation.contract?.mappings ?? []) {
    add(to.trim(), facts.get(from.trim()))
  }
  addWhatTheWorkTells(add, implementation)
  return Object.fromEntries(facts)
}

function addWhatTheWorkTells(
  add: (key: string, value: string | undefined) => void,
  { source, summary, text }: Implementation,
): void {
  if (source?.provider === 'github') {
    const [, repository, issueNumber] =
      /^([^/#\s]+\/[^/#\s]+)#(\d+)$/.exec(source.externalId ?? '') ?? []
    add('repository', repository)
    add('issueNumber', issueNumber)
  }
  add('issueTitle', summary)
  add('issueBody', text)
  add('issueUrl', source?.url)
  add('url', source?.url)
  add('prompt', text)
  add('prompt', summary)
}
