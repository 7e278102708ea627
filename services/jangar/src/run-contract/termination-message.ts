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
} from '../reader/reader.ts'
import { artifact } from './artifact.ts'
import { mapText } from './map-text.ts'
import { largestModels } from './model-usage.ts'
import { outcomes } from './outcome.ts'
import type { RunResult } from './run-result.ts'
import { optionalUsage, type Usage } from './usage.ts'

/** What a kubelet keeps of a container's termination message, in bytes. */
export const longestTerminationMessage = 4096

const count = wholeNumber(0, Number.MAX_SAFE_INTEGER)

const terminationMessage = record({
  outcome: oneOf(outcomes),
  reason: text,
  message: text,
  exitCode: wholeNumber(0, 255),
  signal: optional(text),
  retryAfterSeconds: optional(count),
  startedAt: optional(text),
  finishedAt: optional(text),
  summary: optional(text),
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
      filesChanged: optional(count),
      insertions: optional(count),
      deletions: optional(count),
      bundle: optional(text),
      pullRequest: optional(
        record({ number: optional(wholeNumber(0, Number.MAX_SAFE_INTEGER)), url: optional(text) }),
      ),
    }),
  ),
  skills: optional(listOf(record({ name: text, commit: text }))),
  warnings: optional(listOf(text)),
  /** Parts that were shortened or omitted to fit; the status file has them in full. */
  truncated: optional(listOf(text)),
})

export type TerminationMessage = ReadBy<typeof terminationMessage>

/** Parses the termination message of a runner. Undefined if another program wrote the text. */
export function parseTerminationMessage(message: string): TerminationMessage | undefined {
  const read = readJsonDocument(terminationMessage, message)
  return read.ok ? read.value : undefined
}

/** Always valid JSON within the limit. Outcome, reason and usage always stay; long texts are shortened first. */
export function formatTerminationMessage(result: RunResult): string {
  let message = compact(result)
  for (const { name, cut } of cuts) {
    const whole = JSON.stringify(message)
    if (Buffer.byteLength(whole) <= longestTerminationMessage) return whole
    const shorter = cut(message)
    if (shorter === undefined) continue
    message = { ...shorter, truncated: [...new Set([...(message.truncated ?? []), name])] }
  }
  return JSON.stringify(message)
}

function compact(result: RunResult): TerminationMessage {
  const { outcome, reason, exitCode, signal, retryAfterSeconds, startedAt, finishedAt } = result
  const { summary, usage, outputs, vcs, skills, warnings } = result
  return {
    outcome,
    reason,
    message: result.message,
    exitCode,
    ...(signal !== undefined && { signal }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    startedAt,
    finishedAt,
    ...(summary !== undefined && { summary }),
    ...(usage !== undefined && { usage: { ...usage } satisfies Usage }),
    ...(result.artifacts.length > 0 && {
      artifacts: result.artifacts.map(({ bytes: _, sha256: __, ...location }) => location),
    }),
    ...(outputs !== undefined && { outputs }),
    ...(vcs !== undefined && { vcs }),
    ...(skills !== undefined && { skills }),
    ...(warnings !== undefined && { warnings }),
  }
}

interface Cut {
  readonly name: string
  /** Undefined when there is nothing of the kind to cut. */
  cut(message: TerminationMessage): TerminationMessage | undefined
}

function without(
  name: 'artifacts' | 'outputs' | 'vcs' | 'skills' | 'summary' | 'signal' | 'warnings',
): Cut['cut'] {
  return ({ [name]: _, ...rest }) => rest as TerminationMessage
}

// In the order in which parts are shortened. After the last cut only parts with a small limit remain.
const cuts: readonly Cut[] = [
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
  {
    name: 'summary',
    cut: ({ summary, ...rest }) =>
      summary === undefined ? undefined : { ...rest, summary: clip(summary, 200) },
  },
  {
    name: 'warnings',
    cut: ({ warnings, ...rest }) =>
      warnings && { ...rest, warnings: warnings.slice(0, 8).map((one) => clip(one, 120)) },
  },
  { name: 'models', cut: (message) => withModels(message, 3) },
  { name: 'outputs', cut: without('outputs') },
  { name: 'artifacts', cut: without('artifacts') },
  { name: 'warnings', cut: without('warnings') },
  { name: 'skills', cut: without('skills') },
  { name: 'vcs', cut: without('vcs') },
  { name: 'summary', cut: without('summary') },
  { name: 'models', cut: (message) => withModels(message, 0) },
  { name: 'signal', cut: without('signal') },
  { name: 'message', cut: (message) => clipMessage(message, 64) },
]

/** The tokens of the others stay in the total. */
function withModels(message: TerminationMessage, most: number): TerminationMessage | undefined {
  const { models, ...usage } = message.usage ?? {}
  if (models === undefined || models.length <= most) return undefined
  const kept = most === 0 ? {} : { models: largestModels(models, most) }
  return { ...message, usage: { ...usage, ...kept } }
}

function clipMessage(message: TerminationMessage, longest: number): TerminationMessage | undefined {
  if (message.message.length <= longest) return undefined
  return { ...message, message: clip(message.message, longest) }
}

function clip(value: string, longest: number): string {
  return value.length <= longest ? value : `${value.slice(0, longest - 1)}…`.toWellFormed()
}
