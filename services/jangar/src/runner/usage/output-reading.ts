import { isTokenCount, sumOf } from '../../run-contract/amount.ts'
import type { Usage } from '../../run-contract/usage.ts'

export interface OutputReading {
  /** The conversation that the event belongs to, if it names one. */
  readonly session?: string
  /** The total of the conversation so far: a later reading of the same session replaces it. */
  readonly usage?: Usage
  /** Whether the usage is that of one exchange, and adds to all others. */
  readonly isPart?: boolean
  /** The model of the usage or, without one, of what the conversation uses from now on. */
  readonly model?: string
  /** The answer of a model that the event belongs to; `true` if it is one of its own. */
  readonly answer?: string | true
  /** Whether the model has a request that it has not answered. */
  readonly isUnanswered?: boolean
  /** How many tools the agent calls. */
  readonly toolCalls?: number
  /** The agent's message. */
  readonly summary?: string
  /** Whether the message continues the one before. */
  readonly isDelta?: boolean
  /** Why the program fails, or has to try again. */
  readonly error?: string
  /** Whether the model refuses requests because there are too many. */
  readonly isRateLimited?: boolean
  /** How long the model asks to wait. */
  readonly retryAfterSeconds?: number
}

type Event = Readonly<Record<string, unknown>>

export function memberOf(event: Event, name: string): Event {
  const member = event[name]
  return typeof member === 'object' && member !== null ? (member as Event) : {}
}

export function textIn(event: Event, name: string): string | undefined {
  const value = event[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function membersOf(event: Event, name: string): readonly Event[] {
  const list = event[name]
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : []
}

/** The sum of the counts that exist. Undefined if none does. */
export function tokensIn(event: Event, ...names: readonly string[]): number | undefined {
  const counts = names.map((name) => event[name]).filter(isTokenCount)
  return counts.length === 0 ? undefined : sumOf(...counts)
}

/** Leaves out what is not known. */
export function usageOf(
  inputTokens: number | undefined,
  outputTokens: number | undefined,
  rest: Usage = {},
): Usage | undefined {
  const usage = {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
    ...rest,
  }
  return Object.keys(usage).length === 0 ? undefined : usage
}

/** Input tokens that came from a cache, as a part of a usage. */
export function cached(cachedInputTokens: number | undefined): Usage {
  return cachedInputTokens === undefined ? {} : { cachedInputTokens }
}
