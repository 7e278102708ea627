import { type GateOf, pass, stall } from '@agents/controller'
import type { VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import { type NamedTemplate, templateProblem } from '../template-problem.ts'
import { readSignIn } from './sign-in.ts'

/** `deprecated` are the types of token that are warned about, by service. */
export function validated(
  deprecated: Readonly<Record<string, readonly string[]>>,
): GateOf<typeof versionControlProviderConditions, 'Validated', VersionControlProvider> {
  return {
    condition: 'Validated',
    check: ({ spec }) => {
      const read = readSignIn(spec)
      if ('problem' in read) return stall(read.problem.reason, read.problem.message)
      const template = templateProblem(templatesOf(spec))
      if (template !== undefined) return stall('InvalidTemplate', template)
      const { signIn } = read
      if (signIn.method !== 'token' || signIn.type === undefined) {
        return pass('Valid', 'the spec makes sense')
      }
      const { type } = signIn
      return deprecated[spec.provider]?.includes(type)
        ? pass(
            'DeprecatedAuth',
            `tokens of type ${type} are on their way out at ${spec.provider}; replace it soon`,
          )
        : pass('Valid', 'the spec makes sense')
    },
  }
}

function templatesOf({ defaults = {} }: VersionControlProvider['spec']): NamedTemplate[] {
  const { branchTemplate, branchConflictSuffixTemplate, pullRequest } = defaults
  return [
    { at: 'defaults.branchTemplate', text: branchTemplate },
    { at: 'defaults.branchConflictSuffixTemplate', text: branchConflictSuffixTemplate },
    { at: 'defaults.pullRequest.titleTemplate', text: pullRequest?.titleTemplate },
    { at: 'defaults.pullRequest.bodyTemplate', text: pullRequest?.bodyTemplate },
  ]
}
