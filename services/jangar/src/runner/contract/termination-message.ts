import { optionalUsage, type Usage } from '../usage/usage.ts'
import { artifact } from './artifact.ts'
import { mapText } from './map-text.ts'
import { OUTCOMES } from './outcome.ts'
import {
  flag,
  listOf,
  mapOf,
  oneOf,
  optional,
  type ReadBy,
  readJsonDocument,
  record,
  text,
  wholeNumber,
} from './reader.ts'
import type { RunResult } from './run-result.ts'

/** What a kubelet keeps of a container's termination message, in bytes. */
export const LONGEST_TERMINATION_MESSAGE = 4096

const terminationMessage = record({
  outcome: oneOf(OUTCOMES),
  reason: text,
  message: text,
  exitCode: wholeNumber(0, 255),
  signal: optional(text),
  startedAt: optional(text),
  finishedAt: optional(text),
  usage: optionalUsage,
  artifacts: optional(listOf(artifact)),
  outputs: optional(mapOf(text)),
  vcs: optional(
    record({
      repository: text,
      baseBranch: optional(text),
      headBranch: optional(text),
      commit: optional(text),
      pushed: flag,
      pullRequest: optional(
        record({ number: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)), url: optional(text) }),
      ),
    }),
  ),
  /** Parts that were shortened or left out to fit; the status file has them in full. */
  truncated: optional(listOf(text)),
})

export type TerminationMessage = ReadBy<typeof terminationMessage>

/** What a runner said at its end. Nothing, when the text is some other program's. */
export function parseTerminationMessage(message: string): TerminationMessage | undefined {
  const read = readJsonDocument(terminationMessage, message)
  return read.ok ? read.value : undefined
}

/** Always valid JSON, always within the limit: who won, why and at what cost stay; the longest prose goes first. */
export function formatTerminationMessage(result: RunResult): string {
  let message = compact(result)
  for (const { name, cut } of CUTS) {
    const whole = JSON.stringify(message)
    if (Buffer.byteLength(whole) <= LONGEST_TERMINATION_MESSAGE) return whole
    const shorter = cut(message)
    if (shorter === undefined) continue
    message = { ...shorter, truncated: [...new Set([...(message.truncated ?? []), name])] }
  }
  return JSON.stringify(message)
}

function compact(result: RunResult): TerminationMessage {
  const { outcome, reason, exitCode, signal, startedAt, finishedAt, usage, outputs, vcs } = result
  return {
    outcome,
    reason,
    message: result.message,
    exitCode,
    ...(signal !== undefined && { signal }),
    startedAt,
    finishedAt,
    ...(usage !== undefined && { usage: { ...usage } satisfies Usage }),
    ...(result.artifacts.length > 0 && {
      artifacts: result.artifacts.map(({ bytes: _, sha256: __, ...location }) => location),
    }),
    ...(outputs !== undefined && { outputs }),
    ...(vcs !== undefined && { vcs }),
  }
}

interface Cut {
  readonly name: string
  /** Undefined when there is nothing of the kind to cut. */
  cut(message: TerminationMessage): TerminationMessage | undefined
}

const without =
  (name: 'artifacts' | 'outputs' | 'vcs' | 'signal') =>
  ({ [name]: _, ...rest }: TerminationMessage): TerminationMessage =>
    rest as TerminationMessage

// In the order in which parts are given up. The last one leaves only what has a small bound of its own.
const CUTS: readonly Cut[] = [
  { name: 'message', cut: (message) => clipMessage(message, 512) },
  {
    name: 'artifacts',
    cut: (message) =>
      message.artifacts && {
        ...message,
        artifacts: message.artifacts
          .slice(0, 10)
          .map((location) => mapText(location, (value) => clip(value, 120))),
      },
  },
  {
    name: 'vcs',
    cut: (message) =>
      message.vcs && { ...message, vcs: mapText(message.vcs, (value) => clip(value, 255)) },
  },
  { name: 'outputs', cut: without('outputs') },
  { name: 'artifacts', cut: without('artifacts') },
  { name: 'vcs', cut: without('vcs') },
  { name: 'signal', cut: without('signal') },
  { name: 'message', cut: (message) => clipMessage(message, 64) },
]

function clipMessage(message: TerminationMessage, longest: number): TerminationMessage | undefined {
  if (message.message.length <= longest) return undefined
  return { ...message, message: clip(message.message, longest) }
}

function clip(value: string, longest: number): string {
  return value.length <= longest ? value : `${value.slice(0, longest - 1)}…`.toWellFormed()
}
