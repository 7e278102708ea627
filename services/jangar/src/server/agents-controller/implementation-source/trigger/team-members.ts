import type { Forge } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'

interface Question {
  readonly forge: Pick<Forge, 'isTeamMember'>
  readonly source: ImplementationSource
  readonly team: string
  readonly user: { readonly name: string; readonly id: number | undefined }
  readonly now: Date
  readonly signal: AbortSignal
}

/** Whether the user is a member of the team. Throws ForgeErrors. */
export type IsTeamMember = (question: Question) => Promise<boolean>

/** For how long somebody who left a team may still start runs. */
const validMs = 60_000
const mostKnown = 1000

/** Asks the service, and remembers the answer shortly: whoever comments often does not cost a request each time. */
export function teamMembers(): IsTeamMember {
  const known = new Map<string, { readonly isMember: boolean; readonly untilMs: number }>()
  return async ({ forge, source, team, user, now, signal }) => {
    const { uid = '', generation = 0 } = source.metadata
    const key = JSON.stringify([uid, generation, team, user.name, user.id ?? null])
    const nowMs = now.getTime()
    for (const [one, { untilMs }] of known) if (untilMs <= nowMs) known.delete(one)
    const found = known.get(key)
    if (found !== undefined) return found.isMember
    const isMember = await forge.isTeamMember(team, user, signal)
    const [oldest = ''] = known.keys()
    if (known.size >= mostKnown) known.delete(oldest)
    known.set(key, { isMember, untilMs: nowMs + validMs })
    return isMember
  }
}
