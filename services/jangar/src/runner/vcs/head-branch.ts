import { renderTemplate } from '../../templates/render-template.ts'
import type { TemplateContext } from '../../templates/template-roots.ts'
import type { VcsContext } from '../contract/vcs-context.ts'
import { RunFailure } from '../run-failure.ts'

export interface HeadBranch {
  readonly name: string
  /** Where the work goes instead when somebody else has that branch. */
  readonly alternative?: string
  /** The controller chose it, so that what is there already is to be built upon. */
  readonly isChosen: boolean
}

/** The branch that the work goes to. A run's own name makes one where nobody has said more. */
export function headBranchOf(
  vcs: VcsContext,
  runName: string,
  context: TemplateContext,
): HeadBranch {
  const { branchTemplate, branchConflictSuffixTemplate: suffixTemplate } = vcs.defaults ?? {}
  const isChosen = vcs.headBranch !== undefined && vcs.headBranch !== ''
  const name = isChosen
    ? (vcs.headBranch ?? '')
    : branchTemplate === undefined
      ? `agents/${runName}`
      : fill(branchTemplate, context)
  if (suffixTemplate === undefined || suffixTemplate === '') return { name, isChosen }
  return { name, alternative: `${name}-${fill(suffixTemplate, context)}`, isChosen }
}

function fill(template: string, context: TemplateContext): string {
  const rendered = renderTemplate(template, context)
  if (rendered.ok) return rendered.text
  const [first] = rendered.problems
  throw new RunFailure('InvalidTemplate', `the branch template: ${first?.message ?? 'is wrong'}`)
}
