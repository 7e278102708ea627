import { addModels, growth, isModelName, ofModel } from '../../run-contract/model-usage.ts'
import { addUsage, type Usage, withTotal } from '../../run-contract/usage.ts'
import type { ReadEvent } from './adapter.ts'
import type { OutputReading } from './output-reading.ts'

export interface UsageMeter {
  /** One line of standard output. */
  line(line: string): void
  usage(): Usage | undefined
  /** What the program did, as far as it shows it. */
  activity(): Pick<Usage, 'turns' | 'toolCalls'>
  /** The conversation that the program named last. */
  session(): string | undefined
  summary(): string | undefined
  /** The last error that the program reported. */
  error(): string | undefined
  /** Whether the program ended, or is at present, without an answer to its last request. */
  isUnanswered(): boolean
  /** Whether the model refused the last requests because there were too many, and how long it asked to wait. */
  rateLimit(): RateLimit | undefined
}

export interface RateLimit {
  readonly retryAfterSeconds?: number
}

const longestSummary = 1000
/** A program may name as many conversations as it likes; the memory of the runner is that of the container. */
const mostSessions = 100
const longestSession = 200

/** Sums up over conversations; within one the latest count stands, since programs report running totals. */
export function createUsageMeter(readEvent: ReadEvent | undefined): UsageMeter {
  const bySession = new Map<string, Usage>()
  // Of exchanges, and of conversations that are over.
  let settled: Usage | undefined
  const settle = (usage: Usage): void => {
    settled = settled === undefined ? usage : addUsage(settled, usage)
  }
  const replace = (usage: Usage): void => {
    bySession.delete(session)
    bySession.set(session, usage)
    const [oldest] = bySession
    if (oldest === undefined || bySession.size <= mostSessions) return
    bySession.delete(oldest[0])
    settle(oldest[1])
  }
  let turns = 0
  let toolCalls = 0
  let lastAnswer: string | true | undefined
  const countActivity = ({ answer, toolCalls: more = 0 }: OutputReading): void => {
    if (answer !== undefined && (answer === true || answer !== lastAnswer)) turns += 1
    toolCalls += more
    // What follows a call of a tool is another answer, even if the program gives answers no names.
    if (answer !== undefined || more > 0) lastAnswer = answer
  }
  let session = ''
  let model: string | undefined
  let summary: string | undefined
  let error: string | undefined
  let rateLimit: RateLimit | undefined
  let isUnanswered = false
  return {
    line(line) {
      const event = readEvent === undefined ? undefined : parseEvent(line)
      const reading = event && readEvent?.(event)
      if (reading === undefined) return
      countActivity(reading)
      session = reading.session?.slice(0, longestSession) ?? session
      if (reading.usage === undefined) model = reading.model ?? model
      else if (reading.isPart === true) settle(byModel(reading.usage, {}, reading.model ?? model))
      else if (reading.model !== undefined) replace(byModel(reading.usage, {}, reading.model))
      else replace(byModel(reading.usage, bySession.get(session) ?? {}, model))
      if (reading.error !== undefined) error = reading.error
      rateLimit = limitAfter(rateLimit, reading)
      isUnanswered = reading.isUnanswered ?? isUnanswered
      if (reading.summary !== undefined) {
        const before = reading.isDelta === true ? (summary ?? '') : ''
        summary = (before + reading.summary).slice(0, longestSummary)
      }
    },
    usage() {
      const all = [...(settled === undefined ? [] : [settled]), ...bySession.values()]
      return all.length === 0 ? undefined : withTotal(all.reduce(addUsage))
    },
    activity: () => ({ ...(turns > 0 && { turns }), ...(toolCalls > 0 && { toolCalls }) }),
    session: () => session || undefined,
    summary: () => summary?.toWellFormed() || undefined,
    error: () => error,
    isUnanswered: () => isUnanswered,
    rateLimit: () => rateLimit,
  }
}

/** A running total, of which what has been added since is the part of the model; with parts if it has none itself. */
function byModel(usage: Usage, before: Usage, model: string | undefined): Usage {
  if (usage.models !== undefined || !isModelName(model)) return usage
  const added = growth(withTotal(before), withTotal(usage))
  return { ...usage, models: addModels(...(before.models ?? []), ofModel(model, added)) }
}

/** A message of the model, or another error, shows that the limit is over. */
function limitAfter(before: RateLimit | undefined, reading: OutputReading): RateLimit | undefined {
  const { isRateLimited, retryAfterSeconds = before?.retryAfterSeconds, error, summary } = reading
  if (isRateLimited === true) return retryAfterSeconds === undefined ? {} : { retryAfterSeconds }
  return error === undefined && summary === undefined ? before : undefined
}

function parseEvent(line: string): Readonly<Record<string, unknown>> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>
  } catch {
    // A line that only looks like an event.
    return undefined
  }
}
