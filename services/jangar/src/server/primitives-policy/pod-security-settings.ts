/** The fields of a pod's security context that a run may set, all within the restricted Pod Security Standard. */
export interface PodSecuritySettings {
  readonly runAsNonRoot?: true
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly fsGroup?: number
  readonly fsGroupChangePolicy?: 'OnRootMismatch' | 'Always'
  readonly supplementalGroups?: readonly number[]
  readonly supplementalGroupsPolicy?: 'Merge' | 'Strict'
  readonly seccompProfile?: SeccompProfile
}

type SeccompProfile =
  | { readonly type: 'RuntimeDefault' }
  | { readonly type: 'Localhost'; readonly localhostProfile: string }

/** Parses a value. Undefined if it is invalid. */
type Read<T> = (value: unknown) => T | undefined

interface Field<T> {
  readonly expected: string
  readonly read: Read<T>
}

/** The maximum that Kubernetes allows. */
const largestId = 2 ** 31 - 1

/**
 * User and group ids of the containers that hold a repository's credentials. The second id is used if the platform's
 * setting assigns the first to agents. A run can choose neither.
 */
export const publisherIds = [65_533, 65_531] as const

const idRange = `from 1 to ${largestId}, other than ${publisherIds.toSorted().join(' and ')}, which are reserved`

/** Group 0 is rejected like user 0: shared volumes and images grant it access to files. */
const id: Field<number> = {
  expected: `a whole number ${idRange}`,
  read: (value) =>
    typeof value === 'number' &&
    Number.isInteger(value) &&
    value > 0 &&
    value <= largestId &&
    publisherIds.every((one) => one !== value)
      ? value
      : undefined,
}

function choice<const T extends string | boolean>(...choices: readonly T[]): Field<T> {
  return {
    expected: choices.join(' or '),
    read: (value) => choices.find((one) => one === value),
  }
}

const groups: Field<readonly number[]> = {
  expected: `a list of whole numbers ${idRange}`,
  read: (value) => {
    if (!Array.isArray(value)) return undefined
    const read = value.map((one: unknown) => id.read(one))
    return read.every((one) => one !== undefined) ? read : undefined
  },
}

/** A Localhost profile is a file that an administrator installed on the node. The standard allows it. */
const seccomp: Field<SeccompProfile> = {
  expected: '{type: RuntimeDefault} or {type: Localhost, localhostProfile: FILE}',
  read: (value) => {
    if (!isObject(value)) return undefined
    const { type, localhostProfile: file, ...unknown } = value
    if (Object.keys(unknown).length > 0) return undefined
    if (type === 'RuntimeDefault') return 'localhostProfile' in value ? undefined : { type }
    if (type !== 'Localhost' || typeof file !== 'string' || !isProfilePath(file)) return undefined
    return { type, localhostProfile: file }
  },
}

/** The validation of the API server: a relative path inside the profile directory of the node. */
function isProfilePath(file: string): boolean {
  return file !== '' && !file.startsWith('/') && !file.split('/').includes('..')
}

const fields: {
  readonly [Name in keyof PodSecuritySettings]-?: Field<NonNullable<PodSecuritySettings[Name]>>
} = {
  runAsNonRoot: choice(true),
  runAsUser: id,
  runAsGroup: id,
  fsGroup: id,
  fsGroupChangePolicy: choice('OnRootMismatch', 'Always'),
  supplementalGroups: groups,
  supplementalGroupsPolicy: choice('Merge', 'Strict'),
  seccompProfile: seccomp,
}

type ReadPodSecurity =
  | { readonly ok: true; readonly settings: PodSecuritySettings }
  /** `field` is relative to the security context; empty for the context itself. */
  | { readonly ok: false; readonly field: string; readonly expected: string }

/** Validates a security context field by field. Unknown fields, null and wrong types are errors. */
export function readPodSecurity(value: unknown): ReadPodSecurity {
  if (!isObject(value)) return { ok: false, field: '', expected: 'an object' }
  const known = Object.keys(fields)
  const settings: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(value)) {
    const field = Object.hasOwn(fields, name) ? fields[name as keyof typeof fields] : undefined
    if (field === undefined) {
      return { ok: false, field: name, expected: `one of ${known.join(', ')}` }
    }
    const read = field.read(given)
    if (read === undefined) return { ok: false, field: name, expected: field.expected }
    settings[name] = read
  }
  return { ok: true, settings }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
