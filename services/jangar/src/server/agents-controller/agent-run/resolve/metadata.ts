import { repositoryName } from '../../../../run-contract/repository/repository-name.ts'
import type { Implementation } from './resolution.ts'

/** Aliases of metadata keys. The first alias that has a value wins. */
const aliases: readonly (readonly [from: string, to: string])[] = [
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
 * The metadata of the work, by key: the parameters, their aliases, the mappings of the contract, fields of the
 * implementation, and the repository of the agent, in this order. A key that is already set is never replaced.
 */
export function metadataOf(
  parameters: Readonly<Record<string, string>>,
  implementation: Implementation,
  defaultRepository?: string,
): Readonly<Record<string, string>> {
  const facts = new Map<string, string>()
  const add = (key: string, value: string | undefined) => {
    const trimmed = value?.trim() ?? ''
    if (trimmed !== '' && !facts.has(key)) facts.set(key, trimmed)
  }
  for (const [key, value] of Object.entries(parameters)) add(key, value)
  for (const [from, to] of aliases) add(to, facts.get(from))
  for (const { from, to } of implementation.contract?.mappings ?? []) {
    add(to.trim(), facts.get(from.trim()))
  }
  addImplementationFields(add, implementation)
  add('repository', defaultRepository)
  const repository = facts.get('repository')
  // Normalized once, before any policy or limit is evaluated.
  if (repository !== undefined) facts.set('repository', repositoryName(repository))
  return Object.fromEntries(facts)
}

function addImplementationFields(
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
