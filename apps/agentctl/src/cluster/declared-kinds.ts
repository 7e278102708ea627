import type { AnyKind } from '@agents/crd'
import { kinds as mirrorKinds } from '@agents/gittarget-api'
import { kinds as agentsKinds } from '@agents/jangar-api'

/** The declarations of every kind of the platform, in the order in which a person meets them. */
export const declaredKinds: readonly AnyKind[] = [...agentsKinds, ...mirrorKinds]
