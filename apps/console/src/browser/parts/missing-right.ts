import type { Access } from '@agents/client'

/** Why a button cannot be used: the right that is missing. Undefined if it can, or that is not known yet. */
export function missingRight(access: Access | undefined): string | undefined {
  if (access === undefined || access.allowed) return undefined
  return `you may not: ${access.missing ?? 'the right is missing'}`
}
