import { createHash } from 'node:crypto'
import { attemptLabel } from '@agents/jangar-api'

const domain = 'agents.proompteng.ai'

/** On everything that a run owns. Values are at most 63 characters long: see `labelValue`. */
export const labels = {
  agentRun: `${domain}/agent-run`,
  agent: `${domain}/agent`,
  toolRun: `${domain}/tool-run`,
  tool: `${domain}/tool`,
  workspace: `${domain}/workspace`,
  provider: `${domain}/provider`,
  implementation: `${domain}/implementation`,
  step: `${domain}/step`,
  /** Counted from 1. */
  stepIndex: `${domain}/step-index`,
  /** Counted from 1. */
  attempt: attemptLabel,
} as const

export const annotations = {
  /** The full name of a run, where the label could hold only a part of it. */
  agentRun: `${domain}/agent-run`,
  toolRun: `${domain}/tool-run`,
  /** On a run: the W3C traceparent of whoever asked for it, whose trace it then belongs to. */
  traceparent: `${domain}/traceparent`,
} as const

const platformKey = /^([^/]+\.)?proompteng\.ai\//

/**
 * Labels or annotations of a template without those that the platform gives a meaning to. The platform creates the
 * object and may set any of them, such as who requested or triggered a run, and the author of the template may not.
 */
export function withoutPlatformKeys(
  given: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !platformKey.test(key)))
}

const longestLabel = 63

/** A name as the value of a label: names may be longer than labels, and then end in a digest of the whole. */
export function labelValue(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '-').replaceAll(/^[._-]+|[._-]+$/g, '')
  if (plain === name && name.length <= longestLabel) return name
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8)
  const kept = plain.slice(0, longestLabel - digest.length - 1).replace(/[._-]+$/, '')
  return kept === '' ? digest : `${kept}-${digest}`
}
