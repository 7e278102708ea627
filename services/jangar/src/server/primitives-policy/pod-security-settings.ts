import { leaf, type ReadBy, type Reader, settings } from '../../reader/reader.ts'

/** The maximum that Kubernetes allows. */
const largestId = 2 ** 31 - 1

/**
 * User and group ids of the containers that hold a repository's credentials. The second id is used if the platform's
 * setting assigns the first to agents. A run can choose neither.
 */
export const publisherIds = [65_533, 65_531] as const

const idRange = `from 1 to ${largestId}, other than ${publisherIds.toSorted().join(' and ')}, which are reserved`

/** Group 0 is rejected like user 0: shared volumes and images grant it access to files. */
const id = leaf(`a whole number ${idRange}`, isId)
const groups = leaf(
  `a list of whole numbers ${idRange}`,
  (value): value is readonly number[] => Array.isArray(value) && value.every(isId),
)

function isId(value: unknown): value is number {
  return (
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value > 0 &&
    value <= largestId &&
    publisherIds.every((one) => one !== value)
  )
}

function choice<const T extends string | boolean>(...choices: readonly T[]): Reader<T> {
  return leaf(choices.join(' or '), (value): value is T => choices.some((one) => one === value))
}

type SeccompProfile =
  | { readonly type: 'RuntimeDefault' }
  | { readonly type: 'Localhost'; readonly localhostProfile: string }

/** A Localhost profile is a file that an administrator installed on the node. The standard allows it. */
const seccomp = leaf(
  '{type: RuntimeDefault} or {type: Localhost, localhostProfile: FILE}',
  (value): value is SeccompProfile => {
    if (typeof value !== 'object' || value === null) return false
    const { type, localhostProfile: file, ...unknown } = value as Record<string, unknown>
    if (Object.keys(unknown).length > 0) return false
    if (type === 'RuntimeDefault') return !('localhostProfile' in value)
    return type === 'Localhost' && typeof file === 'string' && isProfilePath(file)
  },
)

/** The validation of the API server: a relative path inside the profile directory of the node. */
function isProfilePath(file: string): boolean {
  return file !== '' && !file.startsWith('/') && !file.split('/').includes('..')
}

/** The fields of a pod's security context that a run may set, all within the restricted Pod Security Standard. */
export const podSecurity = settings(
  {
    runAsNonRoot: choice(true),
    runAsUser: id,
    runAsGroup: id,
    fsGroup: id,
    fsGroupChangePolicy: choice('OnRootMismatch', 'Always'),
    supplementalGroups: groups,
    supplementalGroupsPolicy: choice('Merge', 'Strict'),
    seccompProfile: seccomp,
  },
  'must be one of',
)

export type PodSecuritySettings = ReadBy<typeof podSecurity>
