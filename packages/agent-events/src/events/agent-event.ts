/** What an agent reports in a line of its output, whichever CLI printed it. */
export type AgentEvent =
  | {
      readonly is: 'message'
      readonly text: string /** Whether the next part continues it. */
      readonly partial?: boolean
    }
  | { readonly is: 'thought'; readonly text: string }
  | {
      readonly is: 'tool'
      readonly name: string /** What it is called with, on one line. */
      readonly detail: string
    }
  | { readonly is: 'result'; readonly ok: boolean; readonly text: string }
  | { readonly is: 'change'; readonly path: string; readonly how: string }
  | { readonly is: 'plan'; readonly steps: readonly PlanStep[] }
  | {
      readonly is: 'usage'
      readonly usage: Usage /** Whether it adds to what was reported before. */
      readonly adds?: boolean
    }
  | { readonly is: 'error'; readonly text: string }

type UsageEvent = Extract<AgentEvent, { is: 'usage' }>

export interface PlanStep {
  readonly text: string
  readonly done: boolean
}

export interface Usage {
  readonly input?: number
  readonly cached?: number
  readonly output?: number
  readonly dollars?: number
}

/**
 * Reads a line of a CLI's JSON protocol. Returns undefined if the line is not of this CLI, and an empty list if it says
 * nothing to a person. Never throws, since programs change their output.
 */
export type ReadEvents = (line: JsonObject) => readonly AgentEvent[] | undefined

export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectIn(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? value : {}
}

export function objectsIn(object: JsonObject, name: string): readonly JsonObject[] {
  const value = object[name]
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textIn(object: JsonObject, name: string): string {
  const value = object[name]
  return typeof value === 'string' ? value : ''
}

export function numberIn(object: JsonObject, name: string): number | undefined {
  const value = object[name]
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** The sum of the counts that exist. Undefined if none does. */
export function sumIn(object: JsonObject, ...names: readonly string[]): number | undefined {
  const counts = names.flatMap((name) => numberIn(object, name) ?? [])
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** A usage event without the counts that are unknown; none if nothing was used. */
export function usageEvent(
  counts: {
    readonly [Name in keyof Usage]: number | undefined
  },
): UsageEvent[] {
  const known = Object.fromEntries(
    Object.entries(counts).filter(([, count]) => count !== undefined),
  )
  return Object.values(known).every((count) => count === 0) ? [] : [{ is: 'usage', usage: known }]
}
