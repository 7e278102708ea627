import { shortDuration } from '../cli/duration.ts'
import type { Style } from '../cli/style.ts'
import { columns, indented } from '../cli/text-table.ts'
import type { ShownRun } from '../run/run-kind.ts'
import { outcomeOf, progressOf } from '../run/run-outcome.ts'
import type { ActiveRun } from './active-runs.ts'
import type {
  CheckedGate,
  DecisionTrace,
  Queued,
  TracedStep,
  TraceEvent,
} from './decision-trace.ts'
import { usualText } from './usual-duration.ts'

export function renderTrace(
  run: ShownRun,
  trace: DecisionTrace,
  style: Style,
  now: Date,
  /** If omitted, the progress or the outcome of the run. */
  first = headline(run),
): string {
  const { name, namespace, creationTimestamp } = run.metadata
  const { warnings = [] } = run.status ?? {}
  const parts = [
    `${style.bold(name)} in ${namespace ?? ''}, created ${creationTimestamp ?? '?'}${age(creationTimestamp, now)}\n${first}\n`,
    section(
      'Conditions, in the order in which they are checked',
      gates(trace.gates, style, now),
      style,
    ),
    ...(trace.queue === undefined ? [] : [section('Queue', queueText(trace.queue, now), style)]),
    ...(trace.holders.length === 0
      ? []
      : [section('Runs of the namespace that hold a slot', holders(trace.holders, now), style)]),
    ...(trace.steps.length === 0
      ? []
      : [section('Steps', columns(trace.steps.map((step) => stepRow(step, now))), style)]),
    ...(trace.usual === undefined
      ? []
      : [section('Duration', usualText(trace.usual, run.status?.startedAt !== undefined), style)]),
    ...(trace.history.length === 0
      ? []
      : [section('Events', columns(trace.history.map((each) => row(each, style))), style)]),
    ...(warnings.length === 0
      ? []
      : [section('Warnings', warnings.map((line) => `${style.warn(line)}\n`).join(''), style)]),
    section('Next', trace.next.map((line) => `${line}\n`).join(''), style),
  ]
  return parts.join('\n')
}

function headline(run: ShownRun): string {
  const ended = outcomeOf(run)
  return ended === undefined ? progressOf(run) : `${ended.phase}: ${ended.message}`
}

function section(title: string, body: string, style: Style): string {
  return `${style.bold(title)}\n${indented(body, 2)}`
}

function gates(checked: readonly CheckedGate[], style: Style, now: Date): string {
  const marks = { yes: style.good('yes '), no: style.warn('no  '), open: style.dim('open') }
  const widest = Math.max(...checked.map(({ type }) => type.length))
  return checked
    .map(({ type, answer, reason, message, meaning, since }) => {
      // The time of the answer: when its reason changed last is not recorded.
      const took = since === undefined ? '' : shortDuration(now.getTime() - Date.parse(since))
      const when = since === undefined ? '' : style.dim(` (${answer} since ${since}, ${took} ago)`)
      const description = message !== '' ? message : meaning
      const adds = answer === 'no' && message !== '' && !isSameText(meaning, message)
      const more = adds ? `${indented(style.dim(meaning), 6)}\n` : ''
      return `${marks[answer]}  ${type.padEnd(widest)}  ${reason}${when}\n${description === '' ? '' : `${indented(description, 6)}\n`}${more}`
    })
    .join('')
}

function queueText({ position, eligibleAt, asOf }: Queued, now: Date): string {
  const observedAt = asOf === undefined ? '' : `, as of ${asOf}${age(asOf, now)}`
  const later = eligibleAt === undefined ? '' : `; checked again at ${eligibleAt} at the latest`
  return `position ${position}${observedAt}${later}\n`
}

const mostHolders = 10

function holders(all: readonly ActiveRun[], now: Date): string {
  const shown = all.slice(0, mostHolders)
  const rows = shown.map(({ name, agent, since }) => [name, `agent ${agent}`, heldFor(since, now)])
  const more = all.length - shown.length
  return `${columns(rows)}${more > 0 ? `and ${more} more\n` : ''}`
}

function heldFor(since: string | undefined, now: Date): string {
  return since === undefined ? '' : `for ${shortDuration(now.getTime() - Date.parse(since))}`
}

function stepRow(step: TracedStep, now: Date): string[] {
  const { name, phase, attempt, message, startedAt, finishedAt } = step
  const end = finishedAt === undefined ? now.getTime() : Date.parse(finishedAt)
  const took = startedAt === undefined ? '' : shortDuration(end - Date.parse(startedAt))
  return [name, phase, startedAt ?? '', took, attempt > 1 ? `attempt ${attempt}` : '', message]
}

function row({ at, reason, message, count, isWarning }: TraceEvent, style: Style): string[] {
  const times = count > 1 ? ` (${count} times)` : ''
  return [at, isWarning ? style.warn(reason) : reason, `${message}${times}`]
}

function age(at: string | undefined, now: Date): string {
  return at === undefined ? '' : ` (${shortDuration(now.getTime() - Date.parse(at))} ago)`
}

function isSameText(a: string, b: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replace(/\.$/, '')
  return a === '' || plain(a) === plain(b)
}
