import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One request and the answer of the real server. The requests of the file are sent in order: some depend on others. */
export interface RecordedRequest {
  readonly because: string
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** If omitted, `application/json`. */
  readonly type?: string
  readonly answer?: unknown
}

export const recordingPath = join(import.meta.dirname, 'recorded-answers.jsonl')

export async function readRecording(): Promise<RecordedRequest[]> {
  const lines = (await readFile(recordingPath, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as RecordedRequest)
}
