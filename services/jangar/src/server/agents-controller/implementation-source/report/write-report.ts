import { createHash, randomUUID } from 'node:crypto'
import { type Forge, isForgeError } from '@agents/forge'
import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { reportText } from './report-text.ts'
import type { ReportedRun } from './reported-run.ts'

export type Report = NonNullable<NonNullable<ImplementationSpec['status']>['report']>

interface About {
  readonly repository: string
  /** Of the issue. */
  readonly number: number
  /** Newest first. */
  readonly runs: readonly ReportedRun[]
  readonly wanted: NonNullable<ImplementationSource['spec']['report']>
  /** The name of the commit status. */
  readonly context: string
}

interface Ports {
  open(): Promise<Forge>
  /** Throws a Conflict if somebody else has written meanwhile: then nothing has been done. */
  record(report: Report): Promise<void>
  readonly about: About
  readonly signal: AbortSignal
}

/**
 * Brings comment and commit status in line with the runs. Each act is recorded; after a crash in the midst of one, the
 * comment is found by its marker, which nobody could know before it was written. A status that is set again replaces
 * itself.
 */
export async function writeReport(ports: Ports, known: Report): Promise<void> {
  const { wanted } = ports.about
  let report = known
  if (wanted.comment === true) report = await comment(ports, report)
  if (wanted.commitStatus === true) report = await commitStatus(ports, report)
  if (report.message !== undefined) await ports.record(withoutMessage(report))
}

async function comment(ports: Ports, known: Report): Promise<Report> {
  const { open, record, about, signal } = ports
  const { repository, number, runs } = about
  if (known.isRemoved === true) return known
  const subject = { repository, kind: 'issue', number } as const
  const marker = known.marker ?? randomUUID()
  const text = reportText(marker, runs)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16)
  if (known.commentId !== undefined && known.comment === digest) return known
  const forge = await open()
  let report: Report = { ...known, marker }
  if (known.marker === undefined) await record(report)
  if (report.commentId === undefined) {
    const sign = `<!-- agents:report ${marker} -->`
    // Only an attempt before this one can have written it.
    const listed = known.marker === undefined ? [] : await forge.comments(subject, signal)
    const found = listed.find(({ body }) => body.startsWith(sign))
    const { id } = found ?? (await forge.addComment(subject, text, signal))
    report = { ...report, commentId: id, ...(found === undefined && { comment: digest }) }
    await record(report)
    if (found === undefined) return report
  }
  try {
    await forge.editComment(subject, Number(report.commentId), text, signal)
    report = { ...report, comment: digest }
  } catch (error) {
    if (!isForgeError(error, 'missing')) throw error
    // It is not wanted.
    report = { ...report, isRemoved: true }
  }
  await record(report)
  return report
}

const states: Readonly<Record<string, 'success' | 'failure'>> = {
  succeeded: 'success',
  failed: 'failure',
  cancelled: 'failure',
}

async function commitStatus(ports: Ports, known: Report): Promise<Report> {
  const { open, record, about, signal } = ports
  const { repository, runs, context: name } = about
  const [newest] = runs
  const commit = runs.find(({ pull }) => pull !== undefined)?.commit
  if (newest === undefined || commit === undefined) return known
  const { phase } = newest
  const state = states[phase] ?? 'pending'
  const commitStatus = `${commit} ${state}`
  if (known.commitStatus === commitStatus) return known
  const forge = await open()
  const description = `Run ${newest.name}: ${phase}`.slice(0, 140)
  await forge.setCommitStatus({ repository, commit, name, state, description }, signal)
  const report = { ...known, commitStatus }
  await record(report)
  return report
}

function withoutMessage({ message: _message, ...rest }: Report): Report {
  return rest
}
