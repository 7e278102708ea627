import { isTokenCount, type Usage } from './usage.ts'

export interface OutputReading {
  /** Which conversation it belongs to, where the event says so. */
  readonly session?: string
  /** All that the conversation has used so far: a later reading of the same session takes its place. */
  readonly usage?: Usage
  /** What the agent said. */
  readonly summary?: string
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

/** The sum of those counts that are there; nothing when none is. */
export function tokensIn(event: Event, ...names: readonly string[]): number | undefined {
  const counts = names.map((name) => event[name]).filter(isTokenCount)
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
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
