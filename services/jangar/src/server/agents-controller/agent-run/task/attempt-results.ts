import type { Pod } from '@agents/kube'
import { redact } from '@agents/log'
import {
  parseTerminationMessage,
  type TerminationMessage,
} from '../../../../runner/contract/termination-message.ts'
import { endOfWork } from './pod-state.ts'

/** What is known of an attempt that has ended. A bare command leaves its exit code and perhaps a word. */
export interface AttemptResults {
  readonly exitCode?: number
  /** For people; safe to show. */
  readonly said?: string
  /** Of the system, where it ended the pod: OOMKilled, Evicted. */
  readonly systemReason?: string
  readonly report?: TerminationMessage
}

export function attemptResults(pod: Pod | undefined): AttemptResults {
  const end = endOfWork(pod)
  const evicted = pod?.status?.reason
  const systemReason = evicted ?? (end && !ordinary.has(end.reason ?? '') ? end.reason : undefined)
  const report = end?.message === undefined ? undefined : parseTerminationMessage(end.message)
  const said = report?.message ?? end?.message ?? pod?.status?.message
  return {
    ...(end && { exitCode: end.exitCode }),
    ...(said && { said: shown(said) }),
    ...(systemReason && { systemReason }),
    ...(report && { report }),
  }
}

const ordinary = new Set(['', 'Completed', 'Error'])
const longestSaid = 512

/** Whatever a program wrote may hold anything. */
function shown(text: string): string {
  const safe = redact(text.trim())
  return safe.length <= longestSaid ? safe : `${safe.slice(0, longestSaid - 1)}…`.toWellFormed()
}

/** `exit code 3 (OOMKilled): the last words` */
export function describeEnd({ exitCode, systemReason, said }: AttemptResults): string {
  const code = exitCode === undefined ? 'ended' : `exit code ${exitCode}`
  const why = systemReason === undefined ? '' : ` (${systemReason})`
  return said ? `${code}${why}: ${said}` : `${code}${why}`
}
