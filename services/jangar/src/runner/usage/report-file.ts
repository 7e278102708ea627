import {
  mapOf,
  optional,
  type ReadBy,
  type ReadResult,
  readJsonDocument,
  record,
  text,
  wholeNumber,
} from '../../reader/reader.ts'
import { optionalUsage } from '../../run-contract/usage.ts'
import { openProgramFile } from '../process/program-file.ts'

const largestReportBytes = 256 * 1024

/** What a program may write to the file that AGENT_REPORT_PATH names. */
const report = record({
  usage: optionalUsage,
  summary: optional(text),
  pullRequest: optional(
    record({ number: optional(wholeNumber(1, Number.MAX_SAFE_INTEGER)), url: optional(text) }),
  ),
  outputs: optional(mapOf(text)),
})

export type AgentReport = ReadBy<typeof report>

/** Nothing when the program left no report. */
export async function readReport(path: string): Promise<ReadResult<AgentReport> | undefined> {
  let document: string
  try {
    document = await readBounded(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    return { ok: false, problems: [{ path: '', message: 'cannot be read' }] }
  }
  if (document.length > largestReportBytes) {
    return {
      ok: false,
      problems: [{ path: '', message: `is larger than ${largestReportBytes} bytes` }],
    }
  }
  return readJsonDocument(report, document)
}

async function readBounded(path: string): Promise<string> {
  const file = await openProgramFile(path)
  try {
    const buffer = Buffer.alloc(largestReportBytes + 1)
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
