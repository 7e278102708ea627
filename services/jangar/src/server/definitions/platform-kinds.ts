import type { AnyKind } from '@agents/crd'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds } from '@agents/jangar-api'

/** All kinds of the platform. */
export const platformKinds: readonly AnyKind[] = [...kinds, ...mirrorKinds]
