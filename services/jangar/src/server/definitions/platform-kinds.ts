import type { AnyKind } from '@agents/crd'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds } from '@agents/jangar-api'

/** All kinds of the platform. */
export const platformKinds: readonly AnyKind[] = [...kinds, ...mirrorKinds]

/** `agents.agents.proompteng.ai`, as kubectl and paths of the API name a kind. Those of no group have one part. */
export function fullNameOf({ plural, group }: Pick<AnyKind, 'plural' | 'group'>): string {
  return group === '' ? plural : `${plural}.${group}`
}
