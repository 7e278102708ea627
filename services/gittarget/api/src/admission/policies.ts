import { type AdmissionPolicy, secretAccessPolicy } from '@agents/crd'
import { clusterWatchRule } from '../cluster-watch-rule/kind.ts'
import { gitProvider } from '../git-provider/kind.ts'
import { gitTarget } from '../git-target/kind.ts'
import { watchRule } from '../watch-rule/kind.ts'
import { gitProviderSecrets, gitTargetSecrets } from './secret-access.ts'
import { watchAccessPolicies } from './watch-access.ts'

/** How each kind of the mirror uses Secrets. */
export const secretAccessByKind = {
  GitProvider: gitProviderSecrets,
  GitTarget: gitTargetSecrets,
} as const

/** Policies that prevent users from reading through the mirror what they may not read themselves. */
export const admissionPolicies: readonly AdmissionPolicy[] = [
  secretAccessPolicy(gitProvider, secretAccessByKind.GitProvider),
  secretAccessPolicy(gitTarget, secretAccessByKind.GitTarget),
  ...watchAccessPolicies(watchRule),
  ...watchAccessPolicies(clusterWatchRule),
]
