import { RunFailure } from '../run-failure.ts'
import { renderTemplate } from '../templates/render-template.ts'
import type { TemplateContext } from '../templates/template-roots.ts'
import { withTopLevelInputs } from '../templates/top-level-inputs.ts'
import type { VcsContext } from '../vcs-context.ts'

interface HeadBranch {
  readonly name: string
  /** The branch to use if that one belongs to another writer. */
  readonly alternative?: string
  /** Whether the controller named the branch; then its existing commits are built upon. */
  readonly isChosen: boolean
}

/** The branch that the work is pushed to. If nothing else is configured, it is named after the run. */
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
  const rendered = renderTemplate(template, withTopLevelInputs(context))
  if (rendered.ok) return rendered.text
  const [first] = rendered.problems
  throw new RunFailure(
    'InvalidTemplate',
    `the branch template is not valid: ${first?.message ?? 'unknown problem'}`,
  )
}
