import { type GateOf, pass, stall } from '@agents/controller'
import type { VersionControlProvider, versionControlProviderConditions } from '@agents/jangar-api'
import { type NamedTemplate, templateProblem } from '../../template-problem.ts'
import { addressProblem } from '../address-problem.ts'
import { autoMergeProblem } from '../auto-merge-problem.ts'
import { readSignIn } from '../sign-in.ts'

/** `deprecated` lists the token types that cause a warning, by service. */
export function validated(
  deprecated: Readonly<Record<string, readonly string[]>>,
): GateOf<typeof versionControlProviderConditions, 'Validated', VersionControlProvider> {
  return {
    condition: 'Validated',
    check: ({ spec }) => {
      const read = readSignIn(spec)
      if ('problem' in read) return stall(read.problem.reason, read.problem.message)
      const address = addressProblem(spec, read.signIn)
      if (address !== undefined) return stall('InvalidAddress', address)
      const template = templateProblem(templatesOf(spec))
      if (template !== undefined) return stall('InvalidTemplate', template)
      const unsafe = autoMergeProblem(spec)
      if (unsafe !== undefined) return stall('UnsafeAutoMerge', unsafe)
      const { signIn } = read
      if (signIn.method !== 'token' || signIn.type === undefined) {
        return pass('Valid', 'the spec is valid')
      }
      const { type } = signIn
      return deprecated[spec.provider]?.includes(type)
        ? pass(
            'DeprecatedAuth',
            `token type ${type} is deprecated for ${spec.provider}; replace the token`,
          )
        : pass('Valid', 'the spec is valid')
    },
  }
}

function templatesOf({ defaults = {} }: VersionControlProvider['spec']): NamedTemplate[] {
  const { branchTemplate, branchConflictSuffixTemplate, pullRequest } = defaults
  const templates = [
    { at: 'defaults.branchTemplate', text: branchTemplate },
    { at: 'defaults.branchConflictSuffixTemplate', text: branchConflictSuffixTemplate },
    { at: 'defaults.pullRequest.titleTemplate', text: pullRequest?.titleTemplate },
    { at: 'defaults.pullRequest.bodyTemplate', text: pullRequest?.bodyTemplate },
  ]
  return templates.map((template) => ({ ...template, allowsInputs: true }))
}
