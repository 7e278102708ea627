import type { AgentRun, VersionControlProvider } from '@agents/jangar-api'
import { renderTemplate } from '../../../../run-contract/templates/render-template.ts'
import type { TemplateContext } from '../../../../run-contract/templates/template-roots.ts'
import { withTopLevelInputs } from '../../../../run-contract/templates/top-level-inputs.ts'
import { isOlder } from './duplicate.ts'
import { type Found, found, refused } from './problem.ts'
import type { ResolutionPorts } from './resolution.ts'
import { branchIndex, branchValue } from './run-indexers.ts'

export interface BranchQuestion {
  readonly run: AgentRun
  readonly provider: VersionControlProvider
  readonly repository: string
  readonly metadata: Readonly<Record<string, string>>
  readonly context: TemplateContext
}

/** The branch that the work is pushed to. Undefined if the runner derives it from the name of the run. */
export function headBranch(
  { run, provider, repository, metadata, context }: BranchQuestion,
  { caches, claims }: Pick<ResolutionPorts, 'caches' | 'claims'>,
): Found<string | undefined> {
  const { branchTemplate, branchConflictSuffixTemplate } = provider.spec.defaults ?? {}
  const fill = (field: string, template: string | undefined): Found<string> => {
    const rendered = renderTemplate(template ?? '', withTopLevelInputs(context))
    if (rendered.ok) return found(rendered.text.trim())
    const what = `defaults.${field} of VersionControlProvider ${provider.metadata.name}`
    return refused('InvalidTemplate', `${what}: ${rendered.problems[0]?.message ?? 'is wrong'}`)
  }
  const wanted =
    metadata.head === undefined ? fill('branchTemplate', branchTemplate) : found(metadata.head)
  if (wanted.kind !== 'found') return wanted
  const name = wanted.value
  if (name === '') return found(undefined)
  const suffix = fill('branchConflictSuffixTemplate', branchConflictSuffixTemplate)
  if (suffix.kind !== 'found') return suffix
  if (suffix.value === '') return found(name)
  const alternative = `${name}-${suffix.value}`
  const { repository: where, headBranch: had } = run.status?.vcs ?? {}
  // The alternative is unique to this run, so it is kept once recorded. The runner may have appended another suffix.
  if (had === alternative || had?.startsWith(`${alternative}-`)) return found(had)
  const branch = branchValue(repository, name)
  const isOnRecord = where && had && branchValue(where, had) === branch
  if (isOnRecord && hasBegun(run)) return found(name)
  const isTaken = caches.agentRuns
    .byIndex(branchIndex, branch)
    .some((other) => other.metadata.uid !== run.metadata.uid && goesFirst(other, run))
  const isOwn = !isTaken && claims?.claim(run, branch) !== false
  return found(isOwn ? name : alternative)
}

/**
 * Of two runs that want the same branch, the one that has started owns it, else the older one. Both runs reach the same
 * result.
 */
function goesFirst(other: AgentRun, run: AgentRun): boolean {
  return hasBegun(other) || isOlder(other, run)
}

/** A run that has started keeps its branch: later attempts and steps in the same repository build on it. */
function hasBegun({ status }: AgentRun): boolean {
  return status?.startedAt !== undefined || (status?.attempts ?? 0) > 0
}
