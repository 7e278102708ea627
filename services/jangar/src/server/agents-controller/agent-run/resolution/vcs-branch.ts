import type { AgentRun, VersionControlProvider } from '@agents/jangar-api'
import { renderTemplate } from '../../../../templates/render-template.ts'
import type { TemplateContext } from '../../../../templates/template-roots.ts'
import { isOlder } from './duplicate.ts'
import { type Found, found, refused } from './problem.ts'
import type { ResolutionPorts } from './resolution.ts'
import { BRANCH_INDEX, branchValue } from './run-indexers.ts'

export interface BranchQuestion {
  readonly run: AgentRun
  readonly provider: VersionControlProvider
  readonly repository: string
  readonly metadata: Readonly<Record<string, string>>
  readonly context: TemplateContext
}

/** The branch that the work goes to; undefined leaves it to the runner, which takes the run's name. */
export function headBranch(
  { run, provider, repository, metadata, context }: BranchQuestion,
  { caches, claims }: Pick<ResolutionPorts, 'caches' | 'claims'>,
): Found<string | undefined> {
  const { branchTemplate, branchConflictSuffixTemplate } = provider.spec.defaults ?? {}
  const fill = (field: string, template: string | undefined): Found<string> => {
    const rendered = renderTemplate(template ?? '', context)
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
  // Nobody else has it, so that a run which was told of it need not think again. Its runner may have had to add more.
  if (had === alternative || had?.startsWith(`${alternative}-`)) return found(had)
  const branch = branchValue(repository, name)
  const isOnRecord = where && had && branchValue(where, had) === branch
  if (isOnRecord && hasBegun(run)) return found(name)
  const isTaken = caches.agentRuns
    .byIndex(BRANCH_INDEX, branch)
    .some((other) => other.metadata.uid !== run.metadata.uid && goesFirst(other, run))
  const isOwn = !isTaken && claims?.claim(run, branch) !== false
  return found(isOwn ? name : alternative)
}

/** Of two that want the same branch, the one that has begun has it, else the older: both come to the same answer. */
function goesFirst(other: AgentRun, run: AgentRun): boolean {
  return hasBegun(other) || isOlder(other, run)
}

/** From here on a run keeps its branch: its later attempts build upon it, and those steps that work there too. */
function hasBegun({ status }: AgentRun): boolean {
  return status?.startedAt !== undefined || (status?.attempts ?? 0) > 0
}
