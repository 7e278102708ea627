import type { GitTarget } from '@agents/gittarget-api'
import type { KubeObject } from '@agents/kube'
import { globMatcher } from '@agents/patterns'
import { type FieldPath, parseFieldPath, withoutFields } from '../../document/ignored-fields.ts'
import type { JsonMap } from '../../document/json.ts'
import { outcomeOf } from '../../document/outcome.ts'
import { sanitize } from '../../document/sanitize.ts'
import { latestManagers } from '../authors/field-managers.ts'
import type { ResourceType } from './resource-type.ts'
import type { Selection } from './selection.ts'

/** What a target ignores in objects of one type. */
export interface Ignored {
  readonly fields: readonly FieldPath[]
  /** Whether the last write of the object is ignored. Writes of the status count if files contain it. */
  isWriteIgnored(object: KubeObject, includesStatus: boolean): boolean
}

/** Undefined if nothing of the type is ignored. */
export function ignoredOf(
  ignore: GitTarget['spec']['ignore'],
): (type: ResourceType) => Ignored | undefined {
  if (ignore === undefined) return () => undefined
  const patterns = (ignore.managers ?? []).flatMap(validMatcher)
  const isIgnored = (manager: string): boolean => patterns.some((matches) => matches(manager))
  return ({ group, resource }) => {
    const fields = (ignore.fields ?? [])
      .filter(({ apiGroups }) => apiGroups?.includes(group) !== false)
      .filter(({ resources }) => resources?.includes(resource) !== false)
      .flatMap(({ paths }) => paths.map(parseFieldPath))
    if (fields.length === 0 && patterns.length === 0) return undefined
    return {
      fields,
      isWriteIgnored: (object, includesStatus) => {
        const managers = latestManagers(object, includesStatus)
        return managers.length > 0 && managers.every(isIgnored)
      },
    }
  }
}

/** An invalid pattern ignores nobody: changes are mirrored rather than lost. */
function validMatcher(pattern: string): ((name: string) => boolean)[] {
  try {
    return [globMatcher(pattern)]
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/** The object as its file shows it. */
export function manifestOf(
  object: KubeObject,
  { ignored, includesStatus }: Pick<Selection, 'ignored' | 'includesStatus'>,
): JsonMap {
  const outcome = includesStatus ? outcomeOf(object.status) : undefined
  const manifest = { ...sanitize(object), ...(outcome && { status: outcome }) }
  return ignored === undefined ? manifest : withoutFields(manifest, ignored.fields)
}
