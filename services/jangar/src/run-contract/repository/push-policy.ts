import { firstMatch } from '@agents/patterns'

/** What runs may push: `spec.pushPolicy` of a VersionControlProvider. */
export interface PushPolicy {
  readonly allowedPaths?: readonly string[]
  readonly deniedPaths?: readonly string[]
  readonly maxChangedFiles?: number
  readonly maxBytes?: number
  readonly allowTokens?: boolean
}

/** Definitions of CI: whoever changes them runs programs with the credentials of the CI. */
export const ciDefinitions: readonly string[] = [
  '.github/workflows/*',
  '.github/actions/*',
  '.gitlab-ci.yml',
  '.gitlab/ci/*',
  '.gitea/workflows/*',
  '.forgejo/workflows/*',
  '.circleci/*',
  '.buildkite/*',
  '.woodpecker/*',
  '.woodpecker.y*ml',
  '.drone.y*ml',
  '.travis.yml',
  '.tekton/*',
  'azure-pipelines.yml',
  'bitbucket-pipelines.yml',
  'Jenkinsfile',
]

export const defaultMaxChangedFiles = 10_000

/**
 * Why a run may not change the path; undefined if it may. Denials ignore case, as some file systems do, and include the
 * folders of a pattern: a symbolic link in their place would replace what is in them.
 */
export function pathProblem(
  path: string,
  { allowedPaths = [], deniedPaths = ciDefinitions }: PushPolicy,
): string | undefined {
  const name = path.toLowerCase()
  const by = deniedPaths.find((pattern) => {
    const lower = pattern.toLowerCase()
    return firstMatch([lower], name) !== undefined || lower.startsWith(`${name}/`)
  })
  if (by !== undefined) return `pushPolicy.deniedPaths contains ${by}`
  if (allowedPaths.length === 0 || firstMatch(allowedPaths, path) !== undefined) return undefined
  return `pushPolicy.allowedPaths does not contain it (${allowedPaths.join(', ')})`
}
